/**
 * G41: The frozen configuration is the one that renders, in every run and resume, and every conversation that was sent is one that a strict
 * provider takes.
 * Verified: of every run, its frozen bundle against what its configuration renders to, its tools, and the times that it asks for; that no
 * later process asked a model for a run that cannot be rendered again, or under another configuration of its caller; the messages of every
 * model request.
 * Not verified: rules of a provider that the contract does not name.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { conversationWrong } from '../../model/conversation.js';
import { driftOf, frozenRefusal } from '../../model/sessions/configuration.js';
import type { Run, RunConfig } from '../../model/sessions/history.js';
import { requestKind } from '../../model/sessions/requests.js';
import { memberOf, parsed } from '../../model/values.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { decodeUtf8, parseJson } from '../../read/canonical.js';
import { perSnapshot, type CaseCheck, type Say } from '../check.js';
import type { Sent } from '../subject-model.js';
import { addedRecords, historyBefore, historyIn, logIn, sentBy } from './derived.js';
import { callersConfig } from './callers.js';
import { once } from './once.js';
import { plannedModelRequests, plannedRuns } from './planned.js';

export const g41: CaseCheck = {
  guarantee: 'G41',
  sentence:
    'The frozen configuration is the one that renders, in every run and resume, and every conversation that was sent is one that a strict provider takes.',
  covers: 'the configuration of every run, and who went on under it; the messages of every model request',
  doesNotCover: 'rules of a provider that the contract does not name',
  codes: ['configuration-unlawful', 'conversation-invalid'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(
      snapshots,
      (snapshot) => plannedRuns(snapshot) + plannedModelRequests(snapshot),
      (snapshot, say) => {
        const { runs } = historyIn(snapshot);
        const fences = new Map(logIn(snapshot.state).frames.map(({ seq, fence }) => [seq, fence]));
        for (const run of runs) {
          const wrong = configurationWrong(run, fences);
          if (wrong !== null) say('configuration-unlawful', wrong, { file: snapshot.state.logFile, seq: run.seq });
        }
        timesWrong(snapshot, say);
        callerWrong(snapshot, bundle, say);
        const asked = sentBy(snapshot).filter((line) => requestKind(line) === 'model');
        for (const line of asked) {
          const wrong = conversationIn(line);
          if (wrong !== null) say('conversation-invalid', wrong, { file: snapshot.file('receipts.jsonl'), seq: line.seq });
        }
        return runs.length + asked.length;
      },
    ),
};

const conversationIn = once(({ body }: Sent): string | null => {
  const value = parsed(() => parseJson(decodeUtf8(Buffer.from(body.data, body.encoding))));
  return conversationWrong(memberOf(value, 'messages'));
});

function configurationWrong({ config, seq, steps }: Run, fences: ReadonlyMap<number, number>): string | null {
  const { tools } = config;
  if (new Set(tools.map(({ name }) => name)).size !== tools.length) return 'Two tools of a run have one name.';
  if (!tools.every(isTool)) return 'A tool of a run contradicts itself.';
  const refusal = frozenRefusal(config);
  if (refusal === null) return null;
  if (refusal !== 'frozen_render_config_unverifiable' || config.render.bundle !== null)
    return 'What a run has frozen is not what its configuration renders to.';
  // Not frozen: only the process that began it knows what it renders.
  const isLater = steps.some((step) => fences.get(step.seq) !== fences.get(seq));
  return isLater ? 'A later process asked a model for a run that was not frozen.' : null;
}

function isTool({ kind, effect, argv, safety, on_unknown: onUnknown }: RunConfig['tools'][number]): boolean {
  const isPlaced = kind === 'http' ? effect !== null && argv === null : effect === null && argv !== null;
  return isPlaced && (onUnknown === 'interrupt' || safety === 'idempotent' || safety === 'pure');
}

const times: Readonly<Record<string, string>> = sessionLogV1.times;

/** Of the records that a snapshot added: each of these types has its time exactly where its run asks for it. */
function timesWrong(snapshot: Snapshot, say: Say): void {
  const { runsById } = historyIn(snapshot);
  for (const { type, payload, seq } of addedRecords(snapshot)) {
    const time = Object.hasOwn(times, type) ? times[type] : undefined;
    const run = time === undefined ? undefined : runsById.get(String(memberOf(payload, 'run_id')));
    if (time === undefined || run === undefined || Object.hasOwn(payload, time) === run.config.times) continue;
    say('configuration-unlawful', `The ${type} has a time that its run does not ask for, or none where it does.`, {
      file: snapshot.state.logFile,
      seq,
    });
  }
}

/** Whoever goes on with a run wants what it recorded, or is refused. */
function callerWrong(snapshot: Snapshot, bundle: Bundle, say: Say): void {
  const before = historyBefore(snapshot)?.runs.at(-1);
  const run = before === undefined ? undefined : historyIn(snapshot).runsById.get(before.id);
  const callers = callersConfig(snapshot, bundle);
  if (before === undefined || run === undefined || callers === null || run.steps.length === before.steps.length) return;
  const drift = driftOf(run.config, callers);
  if (drift.length > 0)
    say('configuration-unlawful', `A run went on under another configuration: ${drift.join(', ')}.`, {
      file: snapshot.state.logFile,
      seq: run.steps[before.steps.length]?.seq ?? null,
    });
}
