/**
 * A judgement for people: every claim with its sentence and the items expected and seen, grouped by guarantee, broken ones first;
 * then the findings, first and worst; then the verdict. Colour only on a terminal that wants it.
 */
import type { Finding } from '../checks/check.js';
import type { Claim } from '../judge.js';
import { groupBy } from '../model/effects.js';
import type { Judgement } from '../verdict.js';
import type { Generated } from '../mutations/generated/report.js';
import type { Corruption } from '../mutations/corrupt.js';
import { shown } from './shown.js';

const rank = { broken: 0, unknown: 1, held: 2, not_applicable: 3 } as const;
const words = { broken: 'broken', unknown: 'unknown', held: 'held', not_applicable: 'n/a' } as const;
const colours = { broken: 31, unknown: 33, held: 32, not_applicable: 90, invalid: 31, valid: 32 } as const;

export function renderJudgement({ claims, verdict }: Judgement, colour: boolean): string {
  const paint = (word: keyof typeof colours, text: string = word): string =>
    colour ? `\u001B[${colours[word]}m${text}\u001B[0m` : text;
  const lines: string[] = [];
  const groups = groupBy(claims, ({ guarantee }) => guarantee);
  const worst = (group: readonly Claim[]): number => Math.min(...group.map(({ result }) => rank[result]));
  const ordered = [...groups].sort(([, left], [, right]) => worst(left) - worst(right));
  for (const [guarantee, group] of ordered) {
    lines.push(`${guarantee}  ${group[0]?.sentence ?? ''}`);
    for (const { result, scope, expected, seen, reason } of [...group].sort(
      (left, right) => rank[left.result] - rank[right.result],
    )) {
      lines.push(
        `    ${paint(result, words[result].padEnd(7))}  ${shown(scope)}  ${seen} of ${expected}${reason === null ? '' : `  ${shown(reason)}`}`,
      );
    }
  }
  lines.push('', ...renderFindings(claims.flatMap(({ findings }) => findings)));
  const { held, broken, unknown, not_applicable: without } = verdict.claims;
  lines.push(
    `${held + broken + unknown} claims: ${held} held, ${broken} broken, ${unknown} unknown; ${without} had nothing to judge.`,
    `${verdict.cases} cases, ${verdict.void} void.`,
  );
  lines.push(
    verdict.confirmatory ? 'The run is confirmatory.' : 'The run is exploratory: it proves what ran, not what was planned.',
  );
  lines.push(`verdict: ${paint(verdict.verdict)}`);
  return `${lines.join('\n')}\n`;
}

/** Nobody reads on. */
const mostShown = 1000;

function renderFindings(findings: readonly Finding[]): string[] {
  const [first] = findings;
  if (first === undefined) return ['no findings'];
  const byCode = [...groupBy(findings, ({ code }) => code)].sort(([, left], [, right]) => right.length - left.length);
  const [worst] = byCode;
  return [
    `${findings.length} findings: ${byCode.map(([code, group]) => `${code} (${group.length})`).join(', ')}`,
    `  first: ${renderFinding(first)}`,
    ...(worst !== undefined && worst[1].length > 1 ? [`  most:  ${worst[0]}, ${worst[1].length} times`] : []),
    ...findings.slice(0, mostShown).map((finding) => `  ${renderFinding(finding)}`),
    ...(findings.length > mostShown ? [`  and ${findings.length - mostShown} more, which --json lists`] : []),
  ];
}

function renderFinding({ code, guarantee, where, detail }: Finding): string {
  const place = where.file ?? [where.case, where.snapshot].filter((part) => part !== null).join('/');
  return `${guarantee} ${code} at ${place === '' ? 'the bundle' : shown(place)}${where.seq === null ? '' : ` #${where.seq}`}: ${shown(detail)}`;
}

type Both = Corruption & { readonly generated: Generated | null };

export function renderCorruption({ operators, mutants, rejected, survivors, results, not_applicable, generated }: Both): string {
  const lines = results.map(({ operator, expected, given, rejected: fell }) => {
    const told = fell ? expected.join(', ') : `expected ${expected.join(', ')}; given ${given.join(', ') || 'nothing'}`;
    return `${fell ? 'rejected' : 'SURVIVED'}  ${operator}  ${told}`;
  });
  lines.push(...not_applicable.map((operator) => `not applicable  ${operator}  this bundle has no such place`));
  lines.push(
    '',
    `${operators} operators, ${mutants} mutants, ${rejected} rejected, ${survivors.length} survivors, ${not_applicable.length} not applicable.`,
    ...(generated === null ? [] : renderGenerated(generated)),
  );
  return `${lines.join('\n')}\n`;
}

function renderGenerated({ operators, survivors, found, bound, sample, seed, ...all }: Generated): string[] {
  const counted = ({ generated, discarded, equivalent, applied, rejected }: typeof all): string =>
    `${generated} made, ${discarded} discarded, ${equivalent} equivalent, ${applied} to be rejected, ${rejected} rejected`;
  return [
    '',
    `Generated from ${found} places, at most ${bound} of a class, ${sample === null ? 'all' : `a sample of ${sample}`}, seed ${seed}:`,
    ...Object.entries(operators).map(([name, counts]) => `  ${name}: ${counted(counts)}`),
    ...survivors.map(
      ({ result, document, field, operator, place, given, expected }) =>
        `SURVIVED (${result})  ${document} ${field}: ${operator}  at ${place}  expected ${expected}; given ${given.join(', ') || 'nothing'}`,
    ),
    `${Object.keys(operators).length} operators, ${counted(all)}, ${survivors.length} survivors.`,
  ];
}
