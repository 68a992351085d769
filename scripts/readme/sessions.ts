/**
 * The third table of README.md: a session's record when its process died, what a resume does, and what a naive loop pays.
 *
 * Read from a kept bundle of the sessions plan: the state that the inspector projected of the killed log (G42) and the figures that the plan
 * predicts (G25), one row for each state of a run and of its calls.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Expected {
  ended: string;
  events: number;
  model_requests?: number;
  tool_requests?: number;
}
interface Arm {
  id: string;
  role: string;
  from?: string;
  operation?: string;
  kill?: object | null;
  crash?: object;
  expect: Expected;
}
interface Plan {
  cases: { id: string; kill: object | null; expect: Expected; arms: Arm[] }[];
}
interface Session {
  next_operation: string;
  runs: { stage: string; reason: string | null; calls: { state: string }[] }[];
}
interface Row {
  died: string;
  does: string;
  frames: string;
  requests: string;
  naive: string;
}

const load = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

export function sessionFigures(bundle: string): string {
  const { cases } = load(bundle, 'data/plan.json') as Plan;
  const rows = new Map<string, Row>();
  for (const { id, kill, expect, arms } of cases) {
    const resume = arms.find(isPlainResume);
    if (kill === null || resume === undefined) continue;
    const inspected = (snapshot: string): Session =>
      (load(bundle, 'data/cases', id, snapshot, 'inspection.json') as { session: Session }).session;
    const session = inspected('producer');
    const naive = arms.find((arm) => arm.role === 'restart' && arm.from === undefined);
    const died = `\`${session.runs[0]?.stage}\` | ${callsOf(session)} | ${session.next_operation}`;
    const earlier = rows.get(died);
    if (earlier !== undefined && (earlier.naive !== '' || naive === undefined)) continue;
    rows.set(died, {
      died,
      does: resume.expect.ended === 'refused' ? 'refused: nothing is open' : `run ${inspected(resume.id).runs[0]?.reason}`,
      frames: `${expect.events} → ${resume.expect.events}`,
      requests: `${added('model_requests', expect, resume)} and ${added('tool_requests', expect, resume)}`,
      naive: naive === undefined ? '' : `${added('tool_requests', expect, naive)} again`,
    });
  }
  if (rows.size === 0) throw new Error(`${bundle} has no resume of a killed session.`);
  return [
    '| the run, as the dead process left it | its calls | what is next | a resume ends it as | frames | model and tool requests of the resume | tool requests of a naive loop |',
    '|---|---|---|---|---|---|---|',
    ...[...rows.values()].map(
      ({ died, does, frames, requests, naive }) => `| ${died} | ${does} | ${frames} | ${requests} | ${naive} |`,
    ),
  ].join('\n');
}

/** Of what the producer left, by the settings that it had, with nobody killed. */
function isPlainResume({ role, from, operation, kill, crash }: Arm): boolean {
  return (
    role === 'resume' && from === undefined && (operation ?? null) === null && (kill ?? null) === null && crash === undefined
  );
}

function callsOf({ runs }: Session): string {
  const states = runs.flatMap(({ calls }) => calls.map(({ state }) => state));
  return states.length === 0 ? 'none' : states.join(', ');
}

function added(what: 'model_requests' | 'tool_requests', before: Expected, { expect }: Arm): number {
  return (expect[what] ?? 0) - (before[what] ?? 0);
}
