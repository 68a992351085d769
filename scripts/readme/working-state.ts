/**
 * The first table of README.md: the same dead process, resumed and naively restarted.
 *
 * The plan inside a valid bundle is the list of figures: each that it predicts is one that the verifier derived from the bytes (G25).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judged, lastWords } from '../kept.js';

interface Expect {
  events: number;
  receipts: number;
  effects: number;
  outcome: string;
  refusal?: { error: string; operation: string | null; hazard: string | null; drift: string[] };
}
interface PlannedCase {
  id: string;
  expect: Expect;
  arms: { id: string; expect: Expect }[];
}

/** The rows that a newcomer should see, most telling first. */
const shown: [caseId: string, happened: string][] = [
  ['effect-unknown', 'killed while the provider holds the request'],
  ['manifest-resumed', 'killed after the request was recorded, before anything was sent'],
  ['drift-request-body', 'the same, but another model is configured now'],
  ['observed', 'killed after the answer was recorded'],
  ['resume-killed', 'killed after the request was recorded, and the resume killed too'],
  ['honoured-restart', 'killed while held, by a provider that honours the key'],
];

function armText({ outcome, refusal }: Expect): string {
  if (refusal === undefined) return outcome.replace('_', ' ');
  if (refusal.drift.length > 0) return `refused: ${refusal.drift.join(' and ')} would differ`;
  return `refused${refusal.hazard === null ? '' : ` as ${refusal.hazard}`}: ${refusal.operation ?? 'nothing'}`;
}

export function figures(bundle: string): string {
  const verdict = judged(bundle);
  if (verdict.verdict !== 'valid') throw new Error(`${bundle} is ${verdict.verdict}; only a valid bundle is quoted.`);
  const plan = JSON.parse(readFileSync(join(bundle, 'data/plan.json'), 'utf8')) as { cases: PlannedCase[] };
  const rows = shown.flatMap(([id, happened]) => {
    const planned = plan.cases.find((one) => one.id === id);
    if (planned === undefined) throw new Error(`The kept bundle has no case ${id}.`);
    return planned.arms.map((arm, index) => {
      const before = index === 0 ? `${happened} (\`${id}\`)` : '';
      const grew = `${planned.expect.events} → ${arm.expect.events}`;
      return `| ${before} | ${arm.id} | ${armText(arm.expect)} | ${grew} | ${arm.expect.receipts} | ${arm.expect.effects} |`;
    });
  });
  const arms = plan.cases.reduce((sum, one) => sum + one.arms.length, 0);
  return [
    '| what happened to the process | what the next one does | outcome | events | requests | paid |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    `${verdict.cases} cases with ${arms} arms. What the verifier says of the kept bundle, after a line for each claim:`,
    '',
    '```',
    `$ npx killpoint verify ${bundle}`,
    lastWords(bundle),
    '```',
  ].join('\n');
}
