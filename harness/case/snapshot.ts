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
import { inventoryOf } from '../seal/inventory.js';
import { commandOf } from '../subject/find.js';
import { act, type Ended } from './act.js';
import { type Places, placesOf, type Row, type RunContext } from './context.js';
import { keepAnswer } from './answer.js';
import { inspect } from './inspect.js';
import type { Closed, Prefix } from './provider.js';
import { keepWords } from './words.js';
import type { RoleProcess } from './spawn.js';

export interface Taken {
  readonly killed: boolean;
}

/** Throws CaseVoid when the snapshot proves nothing; what was seen is in the bag all the same. */
export async function takeSnapshot(context: RunContext, row: Row): Promise<Taken> {
  const places = placesOf(context, row.caseId, row.snapshot);
  const script = context.plan.providers[row.provider];
  if (script === undefined) throw new CaseVoid('harness-error', `The plan has no provider "${row.provider}".`);
  begin(context, row, places);
  const prefix = await context.provider.open(places.receipts, script, row.from !== null);
  const role = startRole(context, row, places, prefix);
  const answer = join(places.work, 'answer.json');
  try {
    const ended = await act(role, row.kill, prefix, context.plan.timeouts, context.stages.crash);
    const closed = await closeAndCheck(prefix, places);
    const live = inventoryOf(places.live, context.subject.description.volatile);
    writeFacts(context, row, places, role, ended, closed, live);
    context.stages.copy(places.live, places.state, context.subject.description.volatile);
    if (existsSync(places.receipts)) copyFileSync(places.receipts, join(places.folder, 'receipts.jsonl'));
    keepAnswer(answer, join(places.folder, 'answer.json'));
    keepWords(context, role.words(), join(places.folder, 'stderr.log'));
    if (ended.trouble !== null) throw ended.trouble;
    if (closed instanceof CaseVoid) throw closed;
    await inspect(context, places);
    return { killed: row.kill !== null };
  } finally {
    role.release();
  }
}

/** The producer begins with an empty folder, an arm with its own copy of a state and of the receipts that belong to it. */
function begin(context: RunContext, row: Row, places: Places): void {
  const scenario = context.plan.scenarios[row.scenario];
  writeFileSync(places.scenario, canonicalLine(scenario));
  mkdirSync(places.live, { recursive: true });
  if (row.from === null) return;
  const source = placesOf(context, row.caseId, row.from);
  context.stages.copy(source.state, places.live, context.subject.description.volatile);
  copyFileSync(join(source.folder, 'receipts.jsonl'), places.receipts);
}

function startRole(context: RunContext, row: Row, places: Places, prefix: Prefix): RoleProcess {
  const command = commandOf(context.subject, row.role, context.installation);
  const armed = row.kill?.at === 'checkpoint' ? { KILLPOINT_CHECKPOINT: `${row.kill.checkpoint}#${row.kill.occurrence}` } : {};
  return context.stages.spawn({
    file: command.file,
    args: command.args,
    folder: context.subject.folder,
    environment: {
      KILLPOINT_STATE: places.live,
      KILLPOINT_PROVIDER_URL: prefix.url,
      KILLPOINT_SCENARIO: places.scenario,
      KILLPOINT_OUT: join(places.work, 'answer.json'),
      ...(row.role === 'resume' ? { KILLPOINT_OPERATION: '', KILLPOINT_DRY_RUN: '' } : {}),
      ...armed,
    },
    cgroupHome: context.cgroupHome,
    guard: context.guard,
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
  row: Row,
  places: Places,
  role: RoleProcess,
  ended: Ended,
  closed: Closed | CaseVoid,
  live: Process['live_inventory'],
): void {
  const facts: Process = {
    role: row.role,
    argv: commandOf(context.subject, row.role, context.installation).recorded,
    nonce: role.nonce,
    pid: role.pid,
    start_time_ticks: role.startTicks,
    pgid: role.pgid,
    armed: row.kill === null ? null : row.kill.at === 'held' ? 'held' : `${row.kill.checkpoint}#${row.kill.occurrence}`,
    timeline: role.timeline.entries,
    exit: ended.exit,
    survivors: ended.survivors,
    confinement: { process_group: true, cgroup: role.cgroup !== null },
    receipts: closed instanceof CaseVoid ? null : closed,
    live_inventory: live,
    scenario_sha256: sha256(canonicalLine(context.plan.scenarios[row.scenario])),
    script_sha256: sha256(canonical(context.plan.providers[row.provider])),
    left_behind: ended.leftBehind,
  };
  writeFileSync(join(places.folder, 'process.json'), canonicalLine(facts), { flag: 'wx' });
  const announced = role.announced();
  if (announced.length > 0) writeFileSync(join(places.folder, 'checkpoint.jsonl'), announced, { flag: 'wx' });
}
