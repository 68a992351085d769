/**
 * One snapshot: begin from a copy, act, close the provider's prefix, copy what is left, inspect it, write the facts.
 *
 * The order matters. The prefix is closed before anything is copied: a receipt written later would belong to no snapshot. The live
 * state is listed before it is copied, so that the copy can be held against what the dead process left.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Process } from '../contract/types.js';
import { CaseVoid } from '../errors.js';
import { canonical, canonicalLine, sha256 } from '../io/canonical.js';
import { inventoryOf } from '../io/inventory.js';
import type { RoleProcess } from '../process/spawn.js';
import type { Closed, Prefix } from '../provider/provider.js';
import { commandOf } from '../subject/find.js';
import { act, type Ended } from './act.js';
import { keepAnswer } from './answer.js';
import { type Places, makePlaces, type PlannedSnapshot, type RunContext } from './context.js';
import { inspect } from './inspect.js';
import { keepStderr } from './stderr.js';

export interface Taken {
  readonly killed: boolean;
}

/** Throws CaseVoid when the snapshot proves nothing; what was seen is in the bag all the same. */
export async function takeSnapshot(context: RunContext, planned: PlannedSnapshot): Promise<Taken> {
  const places = makePlaces(context, planned.caseId, planned.snapshot);
  const script = context.plan.providers[planned.provider];
  if (script === undefined) throw new CaseVoid('harness-error', `The plan has no provider "${planned.provider}".`);
  begin(context, planned, places);
  const prefix = await context.provider.open(places.receipts, script, planned.from !== null);
  const role = startRole(context, planned, places, prefix);
  const answer = join(places.work, 'answer.json');
  try {
    const ended = await act(role, planned.kill, prefix, context.plan.timeouts, context.stages.crash);
    const closed = await closeAndCheck(prefix, places);
    const live = inventoryOf(places.live, context.subject.description.volatile);
    writeFacts(context, planned, places, role, ended, closed, live);
    context.stages.copy(places.live, places.state, context.subject.description.volatile);
    if (existsSync(places.receipts)) copyFileSync(places.receipts, join(places.folder, 'receipts.jsonl'));
    keepAnswer(answer, join(places.folder, 'answer.json'));
    keepStderr(context, role.stderr(), join(places.folder, 'stderr.log'));
    if (ended.trouble !== null) throw ended.trouble;
    if (closed instanceof CaseVoid) throw closed;
    await inspect(context, places);
    return { killed: planned.kill !== null };
  } finally {
    role.release();
  }
}

/** The producer begins with an empty folder, an arm with its own copy of a state and of the receipts that belong to it. */
function begin(context: RunContext, planned: PlannedSnapshot, places: Places): void {
  const scenario = context.plan.scenarios[planned.scenario];
  writeFileSync(places.scenario, canonicalLine(scenario));
  mkdirSync(places.live, { recursive: true });
  if (planned.from === null) return;
  const source = makePlaces(context, planned.caseId, planned.from);
  context.stages.copy(source.state, places.live, context.subject.description.volatile);
  copyFileSync(join(source.folder, 'receipts.jsonl'), places.receipts);
}

function startRole(context: RunContext, planned: PlannedSnapshot, places: Places, prefix: Prefix): RoleProcess {
  const command = commandOf(context.subject, planned.role, context.installation);
  const armed =
    planned.kill?.at === 'checkpoint' ? { KILLPOINT_CHECKPOINT: `${planned.kill.checkpoint}#${planned.kill.occurrence}` } : {};
  return context.stages.spawn({
    file: command.file,
    args: command.args,
    folder: context.subject.folder,
    environment: {
      KILLPOINT_STATE: places.live,
      KILLPOINT_PROVIDER_URL: prefix.url,
      KILLPOINT_SCENARIO: places.scenario,
      KILLPOINT_OUT: join(places.work, 'answer.json'),
      ...(planned.role === 'resume' ? { KILLPOINT_OPERATION: '', KILLPOINT_DRY_RUN: '' } : {}),
      ...armed,
    },
    cgroupHome: context.cgroupHome,
    watchdog: context.watchdog,
  });
}

async function closeAndCheck(prefix: Prefix, places: Places): Promise<Closed | CaseVoid> {
  try {
    const closed = await prefix.close();
    const bytes = readFileSync(places.receipts);
    const same = bytes.length === closed.bytes && sha256(bytes) === closed.sha256;
    return same ? closed : new CaseVoid('provider-lost', 'The receipts on disk are not those that the provider closed.');
  } catch (error) {
    if (error instanceof CaseVoid) return error;
    throw error;
  }
}

function writeFacts(
  context: RunContext,
  planned: PlannedSnapshot,
  places: Places,
  role: RoleProcess,
  ended: Ended,
  closed: Closed | CaseVoid,
  live: Process['live_inventory'],
): void {
  const facts: Process = {
    role: planned.role,
    argv: commandOf(context.subject, planned.role, context.installation).recorded,
    nonce: role.nonce,
    pid: role.pid,
    start_time_ticks: role.startTicks,
    pgid: role.pgid,
    armed:
      planned.kill === null
        ? null
        : planned.kill.at === 'held'
          ? 'held'
          : `${planned.kill.checkpoint}#${planned.kill.occurrence}`,
    timeline: role.timeline.entries,
    exit: ended.exit,
    survivors: ended.survivors,
    confinement: { process_group: true, cgroup: role.cgroup !== null },
    receipts: closed instanceof CaseVoid ? null : closed,
    live_inventory: live,
    scenario_sha256: sha256(canonicalLine(context.plan.scenarios[planned.scenario])),
    script_sha256: sha256(canonical(context.plan.providers[planned.provider])),
    left_behind: ended.leftBehind,
  };
  writeFileSync(join(places.folder, 'process.json'), canonicalLine(facts), { flag: 'wx' });
  const announced = role.announced();
  if (announced.length > 0) writeFileSync(join(places.folder, 'checkpoint.jsonl'), announced, { flag: 'wx' });
}
