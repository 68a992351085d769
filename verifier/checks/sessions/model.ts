/** What the shared guarantees ask of a session, whose record is a framed log. */
import { sessionLogV1 } from '../../contract/data.js';
import type { Answer } from '../../contract/types.js';
import { toolOf } from '../../model/sessions/batch-plan.js';
import { outcomeOf } from '../../model/sessions/outcome.js';
import { callOfKey, requestKind, stepOfKey } from '../../model/sessions/requests.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Read } from '../../read/facts.js';
import type { Asked } from '../../read/power-loss/items.js';
import type { StateEvidence } from '../../read/state.js';
import { need } from '../check.js';
import { answered, isUnchanged } from '../derived.js';
import type { Message, Sent, SubjectModel } from '../subject-model.js';
import { departureFrom, endsWithIntent } from './commit-place.js';
import { historiesIn, historyIn, logIn, lostSteps, recordIn } from './derived.js';
import { derive } from './prediction.js';
import { departuresFromScenario } from './scenario.js';

export const sessionsModel: SubjectModel = {
  name: 'sessions/v1',
  logName: 'session log',
  logFile: ({ logFile }) => logFile,
  record: recordIn,
  digests,
  restsOn,
  // A log is made with its name in it.
  appends: { to: sessionLogV1.file, made: 1 },
  intentOf,
  outcome: (snapshot) =>
    outcomeOf({
      history: historyIn(snapshot),
      receipts: need(snapshot.receipts),
      answered: answered(snapshot),
      unchanged: isUnchanged(snapshot, recordIn),
      lostSteps: lostSteps(snapshot),
    }),
  answerWrong,
  departureFrom: (place, snapshot) => departureFrom(place, snapshot),
  endsWithIntent,
  derive,
  scenarioDepartures: departuresFromScenario,
  // A session asks nothing about its keys, and keeps of a response only what it took from it.
  answersKept: () => new Map(),
  responseKept: () => undefined,
  messageKept,
  isOfChild,
  isAmongSeveral,
};

/** A session is synced by `fdatasync`, keeps nothing in SQLite, and tells in its log what a resume did. */
function answerWrong({ settings, operations }: Answer, ran: { node: string } | null): string | null {
  const { node, sync, ...others } = settings;
  if (sync === undefined) return 'An answer about a session does not tell how it was synced.';
  if (Object.keys(others).length > 0 || operations !== undefined) return 'An answer about a session tells what only calls have.';
  return ran === null || ran.node === node ? null : 'A role ran another Node than the recorded one.';
}

function digests({ log, logFile: file }: StateEvidence): Read<readonly string[]> {
  if (log.problem !== undefined) return { problem: log.problem };
  const { problem, frames } = log.value;
  if (problem === null) return { value: frames.map(({ digest }) => digest) };
  return { problem: { code: 'wrong-shape', file, detail: 'The log cannot be read whole.' } };
}

/**
 * A tool call has its intent, and so has a model request under `intent`. Under `rerun` a step is not synced before its request, since it is
 * done again where it is lost; what it was made from was.
 */
function restsOn(snapshot: Snapshot, { path, key }: Asked): number {
  const history = historyIn(snapshot);
  if (requestKind({ path }) === 'tool') return callOfKey(history, key)?.intents[0]?.seq ?? 0;
  const asked = stepOfKey(history, key);
  if (asked === null) return 0;
  const { step, attempt } = asked;
  return step.attempts.find((started) => started.attempt === attempt)?.seq ?? step.seq - 1;
}

/** A step that may be run again has no intent of its own. */
function intentOf(snapshot: Snapshot, { idempotency_key: key }: Sent): number | null {
  const history = historyIn(snapshot);
  const asked = stepOfKey(history, key);
  if (asked !== null) return asked.step.attempts.find(({ attempt }) => attempt === asked.attempt)?.seq ?? null;
  return callOfKey(history, key)?.intents[0]?.seq ?? null;
}

/** The answer of the step, where this attempt gave it. */
function messageKept(snapshot: Snapshot, { idempotency_key: key }: Sent): Message | undefined {
  const asked = stepOfKey(historyIn(snapshot), key);
  const gave = asked?.step.attemptsFinished.find(({ outcome }) => outcome === 'answer');
  return asked !== null && gave?.attempt === asked.attempt ? asked.step.finished?.assistant : undefined;
}

/** A command runs in a process of its own, under the key of its call. */
function isOfChild(snapshot: Snapshot, { idempotency_key: key }: Sent): boolean {
  const call = callOfKey(historyIn(snapshot), key);
  return call !== null && toolOf(call.step.run.config, call.name)?.kind === 'command';
}

/** One of several calls of a parallel batch. Nothing of a batch leaves before all of its intents are on record, each in its turn. */
function isAmongSeveral(snapshot: Snapshot, request: Sent): boolean {
  if (requestKind(request) !== 'tool') return false;
  const stands = snapshot.planned.kill?.at === 'checkpoint';
  if (stands && logIn(snapshot.state).frames.at(-1)?.type === 'tool_dispatch_intent') return false;
  return historiesIn(snapshot).some((history) => {
    const call = callOfKey(history, request.idempotency_key);
    if (call === null || call.intents.length === 0 || call.step.batch?.started.mode !== 'parallel') return false;
    return call.step.calls.filter(({ intents }) => intents.length > 0).length > 1;
  });
}
