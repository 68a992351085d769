/**
 * Writes down what was seen of a snapshot: each process for itself, and, where there are several, what belongs to them all.
 *
 * Facts only. A process that acts alone carries the close of the prefix and the list of the live state in its own record; of several
 * nobody does, and `group.json` does; the folder that was moved away from one of them is its own.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Group, Process } from '../contract/types.js';
import { overlapOf } from '../crash/race.js';
import { textOf } from '../crash/trace-text.js';
import { canonical, canonicalLine, sha256 } from '../io/canonical.js';
import { inventoryOf } from '../io/inventory.js';
import type { Place, PlannedSnapshot } from '../plan/types.js';
import { commandOf } from '../subject/find.js';
import type { Acted } from './act.js';
import type { Finished } from './actor.js';
import { keepAnswer } from './answer.js';
import type { Places, RunContext } from './context.js';
import { ownPlaces, toldTo } from './role.js';
import { keepItems, traceOf } from './trace.js';
import { keepStderr } from './stderr.js';

type Shared = Pick<Process, 'receipts' | 'live_inventory'>;

/** Before anything is copied: what was seen stays on record also where the copy fails. */
export function writeFacts(context: RunContext, planned: PlannedSnapshot, places: Places, acted: Acted, shared: Shared): void {
  const { crash } = planned;
  if (crash !== null && acted.all.length > 0) {
    const group: Group = {
      model: crash.model,
      members: acted.all.map(({ part }) => part.member ?? ''),
      overlap: crash.model === 'race' ? overlapOf(acted.all) : 0,
      ...shared,
    };
    writeFileSync(join(places.folder, 'group.json'), canonicalLine(group), { flag: 'wx' });
  }
  for (const one of acted.all) {
    const own = crash === null ? shared : { receipts: null, live_inventory: movedAway(context, places, one) };
    writeProcess(context, planned, places, one, own);
  }
}

function movedAway({ subject }: RunContext, places: Places, { part }: Finished): Shared['live_inventory'] {
  const { aside } = ownPlaces(places, part);
  return existsSync(aside) ? inventoryOf(aside, subject.description.volatile) : [];
}

/** What a process had recorded in a folder that was moved away from it, and what it did there afterwards. */
export function keepMovedAway({ subject, stages }: RunContext, places: Places, { all }: Acted): void {
  for (const { part } of all) {
    const { folder, aside } = ownPlaces(places, part);
    if (existsSync(aside)) stages.copy(aside, join(folder, 'state'), subject.description.volatile);
  }
}

/** What the tracer told, without the paths of this machine. */
export function keepTrace(
  places: Places,
  { traced }: PlannedSnapshot,
  { all }: Acted,
  volatile: readonly string[],
  providerUrl: string,
): void {
  if (traced === null) return;
  const [only] = all;
  if (traced.family === 'persistence' && only !== undefined) {
    const { answer } = ownPlaces(places, only.part);
    return keepItems(places, { pid: only.role.pid, answer, providerUrl }, volatile);
  }
  const lines = all.flatMap(({ role }) => traceOf(places, role.pid, volatile));
  writeFileSync(join(places.folder, 'trace.txt'), textOf(lines), { flag: 'wx' });
}

/** What the processes themselves left; untrusted, and the last thing to be taken. */
export function keepWords(context: RunContext, places: Places, { all }: Acted): void {
  for (const { role, part } of all) {
    const own = ownPlaces(places, part);
    keepAnswer(own.answer, join(own.folder, 'answer.json'));
    keepStderr(context, role.stderr(), join(own.folder, 'stderr.log'));
  }
}

function writeProcess(context: RunContext, planned: PlannedSnapshot, places: Places, one: Finished, shared: Shared): void {
  const { part, role, exit, survivors, leftBehind } = one;
  const { folder } = ownPlaces(places, part);
  const told = toldTo(planned, part);
  const facts: Process = {
    role: planned.role,
    argv: commandOf(context.subject, planned.role, context.installation).recorded,
    nonce: role.nonce,
    pid: role.pid,
    start_time_ticks: role.startTicks,
    pgid: role.pgid,
    armed: armedAs(part.parkedAt) ?? armedByTracer(planned),
    timeline: role.timeline.entries,
    exit,
    survivors,
    confinement: { process_group: true, cgroup: role.cgroup !== null },
    ...shared,
    scenario_sha256: sha256(canonicalLine(context.plan.scenarios[planned.scenario])),
    script_sha256: sha256(canonical(context.plan.providers[planned.provider])),
    left_behind: leftBehind,
    ...(told.operation === null ? {} : { operation: told.operation }),
    ...(told.input === null ? {} : { input_sha256: sha256(canonicalLine(told.input)) }),
  };
  writeFileSync(join(folder, 'process.json'), canonicalLine(facts), { flag: 'wx' });
  const announced = role.announced();
  if (announced.length > 0) writeFileSync(join(folder, 'checkpoint.jsonl'), announced, { flag: 'wx' });
}

function armedByTracer({ traced }: PlannedSnapshot): string | null {
  const call = traced?.call ?? null;
  return call === null ? null : `syscall:${call.name}#${call.nth}`;
}

function armedAs(place: Place | null): string | null {
  if (place === null) return null;
  return place.at === 'held' ? 'held' : `${place.checkpoint}#${place.occurrence}`;
}
