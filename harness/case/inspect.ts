/**
 * The inspection of a snapshot: a process of its own looks at the copied state and answers what it projects and exports.
 *
 * Looking must change nothing. The state is listed before and after, and both lists are recorded; whether they are equal is not
 * judged here. An inspector that does not answer voids the case: there is nothing to hold the bytes against. Of a state whose producer died
 * while it made it, the answer is that there is none yet.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Inspector } from '../contract/types.js';
import { validateAnswer } from '../contract/validators.js';
import { CaseVoid } from '../errors.js';
import { canonicalLine, parseCanonical } from '../io/canonical.js';
import { inventoryOf } from '../io/inventory.js';
import { killAll, stillThere, survivorsOf } from '../process/end.js';
import { within } from '../process/wait.js';
import { commandOf } from '../subject/find.js';
import { keepAnswer } from './answer.js';
import type { Places, RunContext } from './context.js';
import { withoutPaths } from './stderr.js';

const reapMs = 5000;

const refusedInput = 64;

export async function inspect(context: RunContext, places: Places, mayBeUnfinished: boolean): Promise<void> {
  const { subject, installation, plan } = context;
  const command = commandOf(subject, 'inspect', installation);
  const scratch = join(places.work, 'scratch');
  const out = join(places.work, 'inspection.json');
  mkdirSync(scratch);
  // A producer that died before it wrote anything leaves an empty folder, which the copy still needs for the inspector.
  mkdirSync(places.state, { recursive: true });
  const before = inventoryOf(places.state, subject.description.volatile);
  const role = context.stages.spawn({
    file: command.file,
    args: command.args,
    folder: subject.folder,
    environment: {
      KILLPOINT_STATE: places.state,
      KILLPOINT_PROVIDER_URL: '',
      KILLPOINT_SCENARIO: places.scenario,
      KILLPOINT_OUT: out,
      KILLPOINT_SCRATCH: scratch,
    },
    cgroupHome: context.cgroupHome,
    watchdog: context.watchdog,
  });
  try {
    const inTime = await within(role.exited, plan.timeouts.role_ms);
    // Named before anything is done about them; an inspector that had to be killed left nobody behind by itself.
    const leftBehind = inTime ? stillThere(role) : [];
    killAll(role);
    const exit = await role.exited;
    const survivors = await survivorsOf(role, reapMs);
    await within(role.silent, 1000);
    const after = inventoryOf(places.state, subject.description.volatile);
    const facts: Inspector = {
      argv: command.recorded,
      pid: role.pid,
      start_time_ticks: role.startTicks,
      exit,
      before,
      after,
      left_behind: leftBehind,
    };
    writeFileSync(join(places.folder, 'inspector.json'), canonicalLine(facts), { flag: 'wx' });
    const answered = keepAnswer(out, join(places.folder, 'inspection.json'));
    if (survivors.length > 0) throw new CaseVoid('survivors', `Processes outlived the inspector: ${survivors.join(', ')}.`);
    if (mayBeUnfinished && answered && exit.code === refusedInput && saysUnfinished(out)) return;
    if (exit.code !== 0 || !answered) {
      const words = withoutPaths(role.stderr(), context).trim().split('\n').at(-1) ?? '';
      throw new CaseVoid(
        'inspection-failed',
        `The inspector ended with ${exit.signal ?? `exit ${exit.code}`}${words === '' ? '.' : `: ${words}`}`,
      );
    }
  } finally {
    role.release();
  }
}

/** By name, so that it is not taken for damage. */
function saysUnfinished(out: string): boolean {
  try {
    const answer: unknown = parseCanonical(readFileSync(out, 'utf8'));
    return validateAnswer(answer) && /^State(Absent|Unfinished)$/.test(answer.refusal?.error ?? '');
  } catch {
    return false;
  }
}
