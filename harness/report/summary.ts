/**
 * The summary of a run for people: what ran, what did not count, and the verifier's verdict with its first findings. Pure.
 */
import { styleText } from 'node:util';
import type { RunResult } from '../run.js';
import type { Judged } from '../verdict.js';
import { reachedRows } from './reached.js';

const shownFindings = 5;

export function runSummary(result: RunResult, judged: Judged, wallS: string, colour: boolean): string {
  const { verdict } = judged;
  const paint = (style: 'green' | 'red' | 'yellow', text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const styles = { valid: 'green', invalid: 'red', unknown: 'yellow' } as const;
  const outcomes = new Map<string, number>();
  for (const { outcome } of verdict.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const rows: [string, string][] = [
    ['plan', `${result.plan} (${result.confirmatory ? 'confirmatory' : 'exploratory'})`],
    ['cases', `${result.cases}, ${result.voids.length} void, ${result.kills} kills, ${wallS} s`],
    ...reachedRows(result.reached),
    [
      'outcomes',
      [...outcomes]
        .sort()
        .map(([outcome, count]) => `${count} ${outcome}`)
        .join(', ') || 'none',
    ],
    [
      'claims',
      `${verdict.claims.held} held, ${verdict.claims.broken} broken, ${verdict.claims.unknown} unknown; ${verdict.claims.not_applicable} with nothing to judge`,
    ],
    ['verdict', `${paint(styles[verdict.verdict], verdict.verdict)}${whyUnknown(result)}`],
    ['bundle', result.bundle],
    ['root', result.rootSha256],
    ...judged.signed.map((path): [string, string] => ['signed', path]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return (
    [...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`), ...voidLines(result), ...findingLines(judged)].join(
      '\n',
    ) + '\n'
  );
}

/** A void case proves nothing, whether it was selected or not: the choice of cases is told only where it left something open. */
export function whyUnknown({ cases, voids, selected }: Pick<RunResult, 'cases' | 'voids' | 'selected'>): string {
  if (cases > 0 && voids.length === cases)
    return cases === 1
      ? ': the only case that ran is void, and proves nothing'
      : `: all ${cases} cases are void, and prove nothing`;
  if (!selected) return '';
  const ofThem = voids.length === 0 ? '' : ` (${voids.length} of ${cases} void)`;
  return `: only selected cases ran${ofThem}, and what did not run is unknown`;
}

function voidLines({ voids }: RunResult): string[] {
  return voids.map((one) => `void: ${one.case}/${one.snapshot} ${one.reason}: ${one.detail}`);
}

function findingLines({ verdict, path }: Judged): string[] {
  const { findings } = verdict;
  const shown = findings.slice(0, shownFindings).map(({ code, where, detail }) => {
    const place = [where.case, where.snapshot, where.file].filter((part) => part !== null).join('/');
    return `finding: ${code} ${place}${where.seq === null ? '' : ` seq ${where.seq}`}: ${detail}`;
  });
  return findings.length > shownFindings ? [...shown, `${findings.length - shownFindings} more findings in ${path}`] : shown;
}
