/**
 * G36: Every tool request has its intent, under its compound key and with its body, and no key is requested twice.
 * Verified: by count, with what is still on its way: method, path, content type and every byte of what an HTTP tool is sent; of a command
 * its key; in a sequential batch, that nothing left before the one before it had come back.
 * Not verified: what a command sends.
 *
 * A `restart` is the naive loop: it asks again, under the same key, for each call that had an intent and no terminal when it began. That is
 * no finding here but the outcome `duplicated`; whatever it asks for beyond that is one. So is, once, what an owner still sends whose lock
 * was defeated while it stood.
 */
import { groupBy } from '../../model/effects.js';
import { toolOf } from '../../model/sessions/batch-plan.js';
import type { History } from '../../model/sessions/history.js';
import { callOfKey, requestKind, toolRequestOf } from '../../model/sessions/requests.js';
import type { Snapshot } from '../../read/bundle.js';
import { addedRequests } from '../derived.js';
import { perSnapshot, type CaseCheck, type Say } from '../check.js';
import type { Sent } from '../subject-model.js';
import { historiesIn, historyIn, lateOwners, repeatedByRestart, sentBy } from './derived.js';
import { plannedToolRequests } from './planned.js';

export const g36: CaseCheck = {
  guarantee: 'G36',
  sentence: 'Every tool request has its intent, under its compound key and with its body, and no key is requested twice.',
  covers: 'every tool request in every receipt log; of a restart also what it asks for again by its nature',
  doesNotCover: 'what a command sends',
  codes: ['tool-unintended', 'tool-repeated'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedToolRequests, (snapshot, say) => {
      const file = snapshot.file('receipts.jsonl');
      const sent = sentBy(snapshot).filter((line) => requestKind(line) === 'tool');
      for (const line of sent) {
        const wrong = requestWrong(snapshot, line);
        if (wrong !== null) say('tool-unintended', wrong, { file, seq: line.seq });
      }
      const [again, late] = [repeatedByRestart(snapshot), lateOwners(snapshot)];
      for (const [key, lines] of groupBy(sent, ({ idempotency_key: own }) => own ?? ''))
        for (const { seq } of lines.slice(1 + late + (again.get(key) ?? 0)))
          say('tool-repeated', 'A key was requested again.', { file, seq });
      overlapsWrong(snapshot, say);
      return sent.length;
    }),
};

/** Of several folders, it has its place in one. */
function requestWrong(snapshot: Snapshot, line: Sent): string | null {
  const wrong = historiesIn(snapshot).map((history) => wrongIn(history, line));
  return wrong.includes(null) ? null : (wrong[0] ?? null);
}

function wrongIn(history: History, line: Sent): string | null {
  const call = callOfKey(history, line.idempotency_key);
  if (call === null || call.intents.length === 0)
    return 'The provider received a request of a tool that nobody recorded as intended.';
  if (toolOf(call.step.run.config, call.name)?.kind === 'command') return null;
  const wanted = toolRequestOf(call);
  const isSame = wanted?.sha256 === line.body_sha256 && wanted.path === line.path && line.method === 'POST';
  if (!isSame) return 'A tool was asked for something else than its intent says.';
  const type = line.headers['content-type'] ?? 'application/json';
  return type === 'application/json' ? null : 'A tool request was not sent as JSON.';
}

/** Of the calls of one sequential batch that one process sent. */
function overlapsWrong(snapshot: Snapshot, say: Say): void {
  const history = historyIn(snapshot);
  const open = new Map<string, { key: string | null; until: number }>();
  for (const { received, settled } of addedRequests(snapshot)) {
    const step = callOfKey(history, received.idempotency_key)?.step;
    if (step?.batch?.started.mode !== 'sequential' || requestKind(received) !== 'tool') continue;
    const before = open.get(step.id);
    if (before !== undefined && before.key !== received.idempotency_key && before.until > received.seq)
      say('tool-unintended', 'A call of a sequential batch was sent before the one before it had come back.', {
        file: snapshot.file('receipts.jsonl'),
        seq: received.seq,
      });
    open.set(step.id, { key: received.idempotency_key, until: settled?.seq ?? Infinity });
  }
}
