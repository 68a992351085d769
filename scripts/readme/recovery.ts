/**
 * The second table of README.md: what a recovery does at each stage in which a process can have died.
 *
 * Read from the facts of a kept bundle of the recovery plan, which the verifier has found to be those of its bytes: the projection of the
 * killed state (G16), what the recovery says it carried out (G29), and the figures that the plan predicts (G25).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Arm {
  id: string;
  from?: string;
  operation?: string;
  kill?: object | null;
  crash?: { model: string };
  expect: { ended: string; events: number; receipts: number; effects: number };
}
interface Plan {
  cases: { id: string; kill: object | null; expect: { events: number }; arms: Arm[] }[];
}
interface WorkState {
  answers: { safe_next: { operation: string; on: string | null } };
  calls: { call_id: string; stage: string }[];
  compilations: { compilation_id: string; stage: string }[];
}

const load = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

/** One row for each stage and operation that the record of a killed process names, in the order of the plan. */
export function recoveryFigures(bundle: string): string {
  const { cases } = load(bundle, 'data/plan.json') as Plan;
  const rows = new Map<string, string>();
  for (const one of cases) {
    const arm = one.arms.find(isRecovery);
    if (one.kill === null || arm === undefined) continue;
    const folder = join(bundle, 'data/cases', one.id);
    const { projections } = load(folder, 'producer/inspection.json') as { projections: WorkState[] };
    const { operations } = load(folder, arm.id, 'answer.json') as { operations: string[] };
    const [state] = projections;
    if (state === undefined) continue;
    const named = `\`${stageOf(state)}\` | ${state.answers.safe_next.operation}`;
    const { events, receipts, effects } = arm.expect;
    if (!rows.has(named))
      rows.set(named, `${operations.join(', ')} | ${one.expect.events} → ${events} | ${receipts} | ${effects}`);
  }
  if (rows.size === 0) throw new Error(`${bundle} has no recovery of a killed process.`);
  return [
    '| the record of the dead process says | what is safe next | a recovery carries out | events | requests | paid |',
    '|---|---|---|---|---|---|',
    ...[...rows].map(([named, done]) => `| ${named} | ${done} |`),
  ].join('\n');
}

/** A recovery of what the producer left, in which nobody was killed. One that stands for a crash in recovery is the recovery itself. */
function isRecovery({ from, operation, kill, crash, expect }: Arm): boolean {
  const undisturbed = (kill ?? null) === null && (crash === undefined || crash.model === 'crash-in-recovery');
  return undisturbed && from === undefined && operation === 'recover' && expect.ended === 'completed';
}

function stageOf({ answers, calls, compilations }: WorkState): string {
  const { on } = answers.safe_next;
  const concerned =
    calls.find(({ call_id }) => call_id === on) ?? compilations.find(({ compilation_id }) => compilation_id === on);
  return concerned?.stage ?? 'open';
}
