/** What the shared guarantees ask of a record of calls, which is a ledger. */
import { readEvidence } from '../../model/calls/reconciliation.js';
import { outcomeOf } from '../../model/calls/outcome.js';
import { sentIn, sentMatch } from '../../model/effects.js';
import type { KeptAnswers } from '../../model/provider.js';
import { bodyOf } from '../../model/provider-exchange.js';
import type { Snapshot } from '../../read/bundle.js';
import { fileSha256 } from '../../read/hash.js';
import type { Asked } from '../../read/power-loss/items.js';
import { need } from '../check.js';
import { answered } from '../derived.js';
import type { Sent, SubjectModel } from '../subject-model.js';
import { departureFrom, isGrouped } from './commit-place.js';
import { addedEvents, historyIn, inheritedCount, isUnchanged, recordedIntents, recordIn } from './derived.js';
import { derive } from './prediction.js';
import { departuresFromScenario } from './scenario.js';

export const callsModel: SubjectModel = {
  name: 'calls/v1',
  logName: 'ledger',
  logFile: ({ ledgerFile }) => ledgerFile,
  record: recordIn,
  digests: ({ ledger }) => (ledger.problem === undefined ? { value: ledger.value.events.map(({ digest }) => digest) } : ledger),
  restsOn,
  appends: { to: 'ledger.sqlite-wal', made: 0 },
  intentOf,
  outcome: (snapshot) =>
    outcomeOf({
      history: historyIn(snapshot),
      receipts: need(snapshot.receipts),
      answered: answered(snapshot),
      unchanged: isUnchanged(snapshot),
    }),
  answerWrong: ({ settings, session_refusal: ofSession }) =>
    settings.sync === undefined && ofSession === undefined ? null : 'An answer about calls tells what only sessions have.',
  departureFrom: (place, snapshot, bundle) => departureFrom(place, addedEvents(snapshot), isGrouped(bundle, snapshot)),
  endsWithIntent: ({ ledger }) => need(ledger).events.at(-1)?.type === 'attempt.started',
  derive,
  scenarioDepartures: departuresFromScenario,
  answersKept,
  responseKept: ({ ledger }, sha256) => ledger.value?.artifacts.get(sha256)?.bytes,
  messageKept: () => undefined,
  isOfChild: () => false,
  isAmongSeveral: () => false,
};

/** Its attempt was started before it left. What asks about a key acts on nothing. */
function restsOn(snapshot: Snapshot, { path, key }: Asked, nth: number): number {
  if (path.startsWith('/keys/')) return 0;
  const calls = [...historyIn(snapshot).calls.values()].filter((call) => call.key === key);
  const started = calls
    .flatMap(({ attempts }) => attempts)
    .filter(({ seq, observed }) => seq > inheritedCount(snapshot) && observed?.delivery !== 'not_sent')
    .map(({ seq }) => seq);
  return started.sort((left, right) => left - right)[nth - 1] ?? 0;
}

/** Of several attempts that bear the same, the first may have made the first request; a question has no intent. */
function intentOf(snapshot: Snapshot, request: Sent): number | null {
  const isAlike = (line: Sent): boolean => sentMatch(line) === sentMatch(request);
  const before = sentIn(need(snapshot.receipts)).filter((line) => isAlike(line) && line.seq < request.seq).length;
  const intents = recordedIntents(snapshot).filter(
    ({ match, attempt }) => match === sentMatch(request) && attempt.observed?.delivery !== 'not_sent',
  );
  return intents[before]?.attempt.seq ?? null;
}

/** In the evidence of its reconciliations. */
function answersKept({ ledger }: Snapshot): KeptAnswers {
  const { events, artifacts } = need(ledger);
  const evidence = events
    .filter(({ type }) => type === 'effect.reconciled')
    .map(({ payload }) => artifacts.get(String(payload.evidence_sha256))?.bytes);
  const exchanges = evidence.flatMap((bytes) => (bytes === undefined ? [] : (readEvidence(bytes)?.exchange ?? [])));
  return new Map(exchanges.map(bodyOf).map((body) => [fileSha256(body), body]));
}
