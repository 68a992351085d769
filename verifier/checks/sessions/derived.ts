/** What several checks of sessions derive from one snapshot in the same way: its log, its history, what it began with and what it added. */
import { EvidenceError } from '../../errors.js';
import { sentIn } from '../../model/effects.js';
import { historyOf } from '../../model/sessions/fold.js';
import type { History } from '../../model/sessions/history.js';
import { modelKey } from '../../model/sessions/keys.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Read } from '../../read/facts.js';
import { sha256 } from '../../read/hash.js';
import type { SessionLog } from '../../read/session-log.js';
import type { SessionFrame, SessionRecord } from '../../read/session-records.js';
import type { StateEvidence } from '../../read/state.js';
import { need } from '../check.js';
import { isUnchanged } from '../derived.js';
import type { Sent, SubjectRecord } from '../subject-model.js';
import { once } from './once.js';

/** A log that no reader takes whole proves nothing beyond what G33 says of it. */
export function logIn({ log, logFile }: StateEvidence): SessionLog {
  const whole = need(log);
  if (whole.problem !== null) throw new EvidenceError('wrong-shape', `${logFile}: the log cannot be read whole.`);
  return whole;
}

export function historyIn({ state }: Pick<Snapshot, 'state'>): History {
  return historyOf(logIn(state).records);
}

/** Those of the folders that were moved away from an owner, of this snapshot or of one before it: what it still sends has its place there. */
export function movedHistories({ lineage }: Snapshot): History[] {
  return lineage.flatMap(({ movedAway }) => (movedAway === undefined ? [] : [historyIn({ state: movedAway })]));
}

/** That of the folder, and of those that were moved away. */
export function historiesIn(snapshot: Snapshot): History[] {
  return [historyIn(snapshot), ...movedHistories(snapshot)];
}

/**
 * The keys of model requests whose step a power loss took: under `rerun` a step is not synced before its request, and is run again where it is
 * lost. The record of the arm that ran on has it.
 */
export function lostSteps({ lineage }: Snapshot): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { state, ranOn } of lineage) {
    if (ranOn === undefined) continue;
    const { sessionId, stepsById } = historyIn(ranOn);
    const left = logIn(state).frames.length;
    for (const { id, seq, run } of stepsById.values()) {
      if (seq <= left || run.config.model_leg !== 'rerun') continue;
      for (let attempt = 1; attempt <= run.config.model_attempts; attempt += 1)
        keys.add(modelKey(sessionId ?? '', run.id, id, attempt));
    }
  }
  return keys;
}

/** How many owners may still send the one request that they had committed to when their lock was defeated. */
export function lateOwners({ lineage }: Snapshot): number {
  return lineage.filter(({ planned: { crash } }) => crash?.model === 'zombie' && crash.defeat !== 'none').length;
}

/** The history that the snapshot began with; null for the first process. */
export function historyBefore({ base }: Snapshot): History | null {
  return base === undefined ? null : historyIn(base);
}

/** How many frames the snapshot began with. */
export function inheritedCount({ base }: Snapshot): number {
  return base === undefined ? 0 : logIn(base.state).frames.length;
}

export function addedFrames(snapshot: Snapshot, state: StateEvidence = snapshot.state): readonly SessionFrame[] {
  return logIn(state).frames.slice(inheritedCount(snapshot));
}

export function addedRecords(snapshot: Snapshot, state: StateEvidence = snapshot.state): readonly SessionRecord[] {
  const before = inheritedCount(snapshot);
  return logIn(state).records.filter(({ seq }) => seq > before);
}

/** The log, as the shared checks see it. */
export function recordIn(state: StateEvidence): Read<SubjectRecord> {
  const { log, logFile: file } = state;
  if (log.problem !== undefined) return { problem: log.problem };
  if (log.value.problem === null) return { value: chained(log.value) };
  return { problem: { code: 'wrong-shape', file, detail: 'The log cannot be read whole.' } };
}

/** A frame covers itself alone, so each entry is chained to what precedes it. */
const chained = once(({ frames }: SessionLog): SubjectRecord => {
  let digest = '';
  const entries = frames.map(({ seq, type, digest: own }) => {
    digest = sha256(Buffer.from(digest + own));
    return { seq, type, digest };
  });
  return { entries, contents: new Map() };
});

/** The log to its last byte, the floor beside it, and the receipts are those that the snapshot began with. */
export function isUntouched(snapshot: Snapshot): boolean {
  const { base, state } = snapshot;
  if (!isUnchanged(snapshot, recordIn)) return false;
  if (base === undefined) return true;
  const [now, before] = [need(state.log), need(base.state.log)];
  return now.bytes.equals(before.bytes) && now.floor.features.join() === before.floor.features.join();
}

/** What left a client of this snapshot or of one before it, once each. */
export function sentBy(snapshot: Snapshot): Sent[] {
  return sentIn(need(snapshot.receipts));
}

/**
 * The keys of calls that a restart dispatches again: those that had an intent and no terminal when it began. How often each of them may
 * have been asked for beyond once.
 */
export function repeatedByRestart(snapshot: Snapshot): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const restart of snapshot.lineage.filter(({ planned }) => planned.role === 'restart')) {
    for (const call of historyBefore(restart)?.callsByKey.values() ?? []) {
      const isOpen = call.intents.length > 0 && call.results.length === 0;
      if (isOpen) times.set(call.key, (times.get(call.key) ?? 0) + 1);
    }
  }
  return times;
}

/** The record that follows each. */
export function followers(records: readonly SessionRecord[]): ReadonlyMap<SessionRecord, SessionRecord> {
  return new Map(records.slice(1).map((record, index) => [records[index] as SessionRecord, record]));
}
