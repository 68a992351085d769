/**
 * G48: A fault of the disk came before the call where the plan has it, and on the strength of what had failed nothing was recorded and
 * nothing sent.
 * Verified: that the calls before the fault are, by name and file, those of the run in which none failed, that the planned call failed with
 * the planned error, a lasting one for every later call of its name, and no other by the tracer's doing; of each name, that the run which
 * was armed behind its last call made as many and none of them failed; of every run, that its trace explains the state that it left
 * (`model/traced-state.ts`). After a failed write or sync of the log, or of what makes the state: that no request left whose intent is not on
 * record or, after a sync, cannot have been durable, and that the role does not say that it completed. After a sync or a creation, that no more is on record than may
 * have been there; after a write of the log, that none came to it any more, so that what is on record was written before.
 * Not verified: after a failed write, whether what was written before it had been synced when a request left, since a trace has one family of calls; a failed call on which nothing was built (a checkpoint, a removal); a sync of the folder of which a later one told the same;
 * whether what was read of a file after a failed sync is on the disk; a floor that was raised in the middle of a run; steps that may be run
 * again, whose requests have no intent; calls that changed nothing in the folder, taken out of all runs in step.
 */
import { faultedAt, limitsOf, type Limits } from '../model/disk-fault.js';
import type { Snapshot } from '../read/bundle.js';
import type { Fault } from '../read/plan.js';
import { countOf } from '../read/ratchet.js';
import type { TracedCall } from '../read/trace.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type CheckResult, type Say } from './check.js';
import { ownLines } from './derived.js';
import type { Sent, SubjectModel, SubjectRecord } from './subject-model.js';
import { whyStateUnexplained } from './traced-states.js';

export const g48: CaseCheck = {
  guarantee: 'G48',
  sentence:
    'A fault of the disk came before the call where the plan has it, and on the strength of what had failed nothing was recorded and nothing sent.',
  covers:
    'the traced calls of every run against those of the run in which none failed, by name and file; every trace against the state that its run left; after a failed write or sync of the log or of a creation the record, the requests and the answer',
  doesNotCover:
    'after a failed write, whether what was written before it had been synced; failed calls on which nothing was built; a sync of the folder of which a later one told the same; a floor that was raised in the middle of a run; steps that may be run again',
  codes: ['fault-unproven', 'fault-ignored'],
  scope: 'case',
  check({ snapshots }, _bundle, model): CheckResult {
    const all = snapshots.filter(({ planned }) => planned.traced?.ratchet.model === 'io-fault');
    const result = perItem(all, whereOfSnapshot, (snapshot, say) => {
      const whole = all.find(({ name }) => name === snapshot.planned.traced?.arm);
      if (whole === undefined) return;
      const unproven = whyUnproven(snapshot, whole) ?? whyStateUnexplained(snapshot, whole, model);
      if (unproven !== null) say('fault-unproven', unproven, { file: snapshot.file('trace.txt') });
      else if (snapshot.planned.traced?.fault !== null) ignoredIn(snapshot, whole, model, say);
    });
    const arms = all.filter(({ planned }) => planned.traced?.call === null);
    const empty = arms.find(({ name }) => !all.some(({ planned: { traced } }) => traced?.arm === name && traced.fault !== null));
    if (empty === undefined) return result;
    const unknown = `Under ${empty.name} no call failed: it has no point.`;
    return { ...result, expected: result.expected + 1, unknown: result.unknown ?? unknown };
  },
};

/** Null where the planned call failed, and no other by the tracer's doing; where none was to fail, where none did. */
function whyUnproven(snapshot: Snapshot, whole: Snapshot): string | null {
  const [calls, made] = [need(whole.trace).calls, need(snapshot.trace).calls];
  const { call = null, fault = null } = snapshot.planned.traced ?? {};
  if (call === null || fault === null) {
    if (made.some(({ injected }) => injected !== null)) return 'A call failed by the tracer although none was to.';
    if (made.some(({ isSick }) => isSick)) return 'A call failed by the disk itself although none was to.';
    if (call === null || countOf(made, call.name) === countOf(calls, call.name)) return null;
    return `The run that was armed behind the last ${call.name} made another number.`;
  }
  const at = faultedAt(made, call);
  if (at < 0) return `The call ${call.name} ${call.nth} never came.`;
  const different = made.slice(0, at + 1).findIndex((one, index) => textOf(one) !== textOf(calls[index]));
  if (different >= 0) return `Call ${different + 1} is not that of the run in which none failed.`;
  const wanted = ({ name }: TracedCall, index: number): Fault['error'] | null =>
    index === at || (fault.lasting && index > at && name === call.name) ? fault.error : null;
  const other = made.findIndex((one, index) => one.injected !== wanted(one, index));
  const sick = made.findIndex(({ isSick }) => isSick);
  if (sick >= 0) return `Call ${sick + 1} failed by the disk itself, and not by the tracer.`;
  return other < 0 ? null : `Call ${other + 1} failed by the tracer and was not to, or was to and did not.`;
}

function ignoredIn(snapshot: Snapshot, whole: Snapshot, model: SubjectModel, say: Say): void {
  const { planned, base, state } = snapshot;
  const { family, call } = planned.traced ?? { family: 'writes', call: null };
  if (call === null) return;
  const entriesOf = (one: Snapshot): SubjectRecord['entries'] => need(model.record(one.state)).entries;
  const limits = limitsOf({
    ...{ family, call, log: model.appends.to, calls: need(whole.trace).calls, made: need(snapshot.trace).calls },
    ...{ before: base === undefined ? model.appends.made : entriesOf(base).length, whole: entriesOf(whole).length },
  });
  if (limits === null) return;
  const ignored = (detail: string, file: string, seq: number | null = null): void => say('fault-ignored', detail, { file, seq });
  if (limits.wroteOn) ignored('The log was written to after a write to it had failed.', snapshot.file('trace.txt'));
  const entries = entriesOf(snapshot);
  const beyond = limits.recorded === null ? undefined : entries[limits.recorded];
  if (beyond !== undefined)
    ignored(
      `After the fault ${limits.recorded} entries can be on record, and there are ${entries.length}.`,
      model.logFile(state),
      beyond.seq,
    );
  sentOn(snapshot, whole, limits, model, ignored);
  if (snapshot.has('answer.json') && need(snapshot.answer).status === 'completed')
    ignored('The role says that it completed although it could not record.', snapshot.file('answer.json'));
}

/**
 * An honest role has the intent of each request on record, whatever failed. Which requests have one, the run in which none failed tells: of a method and
 * path all of them, or this is not asked of any.
 */
function sentOn(
  snapshot: Snapshot,
  whole: Snapshot,
  { durable }: Limits,
  model: SubjectModel,
  ignored: (detail: string, file: string, seq: number) => void,
): void {
  const kindOf = ({ method, path }: Sent): string => `${method} ${path}`;
  const file = snapshot.file('receipts.jsonl');
  const told = ownLines(whole);
  const without = new Set(told.filter((line) => model.intentOf(whole, line) === null).map(kindOf));
  const intended = new Set(told.map(kindOf).filter((kind) => !without.has(kind)));
  for (const line of ownLines(snapshot)) {
    const intent = model.intentOf(snapshot, line);
    if (intent === null && intended.has(kindOf(line))) ignored('A request left whose intent is not on record.', file, line.seq);
    else if (intent !== null && durable !== null && intent > durable)
      ignored('A request left whose intent cannot have been durable.', file, line.seq);
  }
}

function textOf(call: TracedCall | undefined): string {
  return call === undefined ? '' : [call.name, ...call.paths].join('\n');
}
