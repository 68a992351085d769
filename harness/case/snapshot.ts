/**
 * One snapshot: begin from a copy, act, close the provider's prefix, copy what is left, inspect it, write the facts.
 *
 * The order matters. The prefix is closed before anything is copied: a receipt written later would belong to no snapshot. The live
 * state is listed before it is copied, so that the copy can be held against what the dead process left.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CrashModel, Part } from '../crash/model.js';
import { treatmentOf, type Treatment } from '../crash/models.js';
import { CaseVoid } from '../errors.js';
import { canonicalLine, sha256 } from '../io/canonical.js';
import { inventoryOf } from '../io/inventory.js';
import { isKilled } from '../plan/snapshots.js';
import type { PlannedSnapshot } from '../plan/types.js';
import type { Closed, Prefix } from '../provider/provider.js';
import { act, type Acted } from './act.js';
import { makePlaces, type Places, type RunContext } from './context.js';
import { inspect } from './inspect.js';
import { keepMovedAway, keepTrace, keepWords, writeFacts } from './record.js';
import { ownPlaces, startRole } from './role.js';
import { demandTraceable, endIn, traceOf } from './trace.js';

export interface Taken {
  readonly killed: boolean;
}

/** Throws CaseVoid when the snapshot proves nothing; what was seen is in the bag all the same. Anything else that is thrown ends the run. */
export async function takeSnapshot(context: RunContext, planned: PlannedSnapshot): Promise<Taken> {
  const places = makePlaces(context, planned.caseId, planned.snapshot);
  const { volatile } = context.subject.description;
  const script = context.plan.providers[planned.provider];
  if (script === undefined) throw new CaseVoid('harness-error', `The plan has no provider "${planned.provider}".`);
  if (planned.traced !== null) demandTraceable(places, context.noTracing);
  begin(context, planned, places);
  const prefix = await context.provider.open(places.receipts, script, planned.from !== null);
  const acted = await actOut(context, planned, places, prefix);
  // Nobody acted: there is nothing to record.
  if (acted.trouble !== null && acted.all.length === 0) throw acted.trouble;
  try {
    const closed = await closeAndCheck(prefix, places);
    const live = inventoryOf(places.live, volatile);
    writeFacts(context, planned, places, acted, { receipts: closed instanceof CaseVoid ? null : closed, live_inventory: live });
    context.stages.copy(places.live, places.state, volatile);
    keepMovedAway(context, places, acted);
    keepTrace(places, planned, acted, volatile, prefix.url);
    if (existsSync(places.receipts)) copyFileSync(places.receipts, join(places.folder, 'receipts.jsonl'));
    keepWords(context, places, acted);
    if (acted.trouble !== null) throw acted.trouble;
    if (closed instanceof CaseVoid) throw closed;
    await inspect(context, places, wasNeverMade(planned) || mayBeUnfinished(planned));
    return { killed: isKilled(planned) };
  } finally {
    for (const { role } of acted.all) role.release();
  }
}

/** The producer begins with an empty folder, an arm with its own copy of a state and of the receipts that belong to it. */
function begin(context: RunContext, planned: PlannedSnapshot, places: Places): void {
  const scenario = context.plan.scenarios[planned.scenario];
  writeFileSync(places.scenario, canonicalLine(scenario));
  mkdirSync(places.live, { recursive: true });
  if (planned.from === null) return;
  const source = makePlaces(context, planned.caseId, planned.from);
  const state = planned.receipts === null ? source.state : places.begun;
  context.stages.copy(state, places.live, context.subject.description.volatile);
  const receipts = readFileSync(join(source.folder, 'receipts.jsonl'));
  writeFileSync(places.receipts, planned.receipts === null ? receipts : firstLines(receipts, planned.receipts), { flag: 'wx' });
}

function firstLines(bytes: Buffer, count: number): Buffer {
  let end = 0;
  for (let line = 0; line < count; line++) end = bytes.indexOf(0x0a, end) + 1;
  return bytes.subarray(0, end);
}

function actOut(context: RunContext, planned: PlannedSnapshot, places: Places, prefix: Prefix): Promise<Acted> {
  const { stages, subject, plan } = context;
  const treatment = treatmentOf(
    planned,
    (pid) => traceOf(places, pid, subject.description.volatile),
    (pid) => endIn(places, pid),
  );
  const model: CrashModel<Treatment> = stages.models[treatment.model];
  const stage = {
    spawn: (part: Part) => startRole(context, planned, places, prefix, part),
    prefix,
    limits: plan.timeouts,
    state: places.live,
    aside: (part: Part) => ownPlaces(places, part).aside,
    ...(planned.from === null ? {} : { begun: makePlaces(context, planned.caseId, planned.from).state }),
    volatile: subject.description.volatile,
    copy: stages.copy,
  };
  return act(stage, model, treatment);
}

/** A power loss left it so, and its producer may have refused to make it anew. */
function wasNeverMade({ role, receipts }: PlannedSnapshot): boolean {
  return role === 'produce' && receipts !== null;
}

/** A fresh producer that was killed before a system call, or for which one failed, may not have made its state yet. */
function mayBeUnfinished({ role, from, traced }: PlannedSnapshot): boolean {
  return role === 'produce' && from === null && traced?.reached === true;
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
