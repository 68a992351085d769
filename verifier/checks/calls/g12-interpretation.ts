/**
 * G12: What the response bytes mean is what the independent interpreter, in the version that the manifest or the recovery that
 * reinterpreted them names, reads in them, and the recorded result is that text.
 * Verified: interpreter, result, finish reason and text of every interpretation from its preserved bytes; the text of every
 * recorded result.
 * Not verified: `detail` where it is prose; interpreters of other names, which are unknown here and said so.
 */
import type { AttemptInterpreted } from '../../contract/types.js';
import type { At, Attempt, Call } from '../../model/calls/history.js';
import { interpret, isKnown } from '../../model/interpreter.js';
import { decidingAttempt, interpretationOf, responseOf } from '../../model/calls/settlement.js';
import { EvidenceError } from '../../errors.js';
import type { Snapshot } from '../../read/bundle.js';
import { sameJson } from '../../read/canonical.js';
import type { Ledger } from '../../read/events.js';
import { textSha256 } from '../../read/hash.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { historyIn, plannedCalls } from './derived.js';

export const g12: CaseCheck = {
  guarantee: 'G12',
  sentence:
    'What the response bytes mean is what the independent interpreter, in the version that the manifest or the recovery that reinterpreted them names, reads in them, and the recorded result is that text.',
  covers: 'interpreter, result, finish reason and text of every interpretation; the text of every recorded result',
  doesNotCover: 'the prose of `detail`',
  codes: ['interpretation-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedMeanings, (snapshot, say) => {
      const ledger = need(snapshot.ledger);
      const file = snapshot.file('state/ledger.sqlite');
      let judged = 0;
      const calls = [...historyIn(snapshot).calls.values()];
      for (const call of calls) {
        for (const attempt of call.attempts) {
          for (const interpreted of attempt.interpretations) {
            const wrong = interpretedWrong(interpreted, attempt, call, ledger);
            if (wrong !== null) say('interpretation-mismatch', wrong, { file, seq: interpreted.seq });
            judged += 1;
          }
        }
        for (const result of call.results) {
          if (result.text_sha256 !== answerText(call, result.seq))
            say('interpretation-mismatch', 'The recorded result is not the text of the answer.', { file, seq: result.seq });
          judged += 1;
        }
      }
      const foreign = calls.find(({ manifest }) => manifest !== undefined && !isKnown(manifest.interpreter))?.manifest
        ?.interpreter;
      if (foreign !== undefined) throw notKnown(foreign);
      return judged;
    }),
};

/** A success has its interpretation and its result. */
function plannedMeanings(snapshot: Snapshot): number {
  return 2 * plannedCalls(snapshot, ({ outcome }) => outcome === 'succeeded');
}

function interpretedWrong(
  interpreted: At<AttemptInterpreted>,
  attempt: Attempt,
  call: Call,
  { artifacts }: Ledger,
): string | null {
  const { interpreter, recovery } = interpreted;
  // A recovery may read the bytes again in another version than the manifest's, and says so itself.
  if (recovery === undefined && call.manifest !== undefined && !sameJson(call.manifest.interpreter, interpreter))
    return 'The interpreter is not the one that the manifest names.';
  if (!isKnown(interpreter)) throw notKnown(interpreter);
  const response = responseOf(attempt, interpreted.seq);
  const bytes = response?.sha256 == null ? undefined : artifacts.get(response.sha256)?.bytes;
  if (response === undefined || bytes === undefined) return 'There are no preserved bytes to interpret.';
  const meaning = interpret(response.status, bytes, interpreter.version);
  if (meaning.result !== interpreted.result) return `The bytes read as ${meaning.result}, recorded is ${interpreted.result}.`;
  if (response.status !== 200 && interpreted.detail !== String(response.status))
    return 'The detail of a refused request is not its status.';
  if (meaning.finish_reason !== interpreted.finish_reason) return 'The finish reason is not the one in the bytes.';
  const text = meaning.text === null ? null : textSha256(meaning.text);
  return text === interpreted.text_sha256 ? null : 'The text is not the one in the bytes.';
}

/** Also of one that no answer has needed yet: what it would have made of one cannot be told. */
function notKnown({ name, version }: AttemptInterpreted['interpreter']): EvidenceError {
  return new EvidenceError('absent', `The interpreter ${name} ${version} is not known here.`);
}

/** The text that the call went on from, when its result was recorded. */
function answerText(call: Call, before: number): string | null {
  const attempt = decidingAttempt(call, before);
  const read = attempt === undefined ? undefined : interpretationOf(attempt, before);
  return read?.result === 'answer' ? read.text_sha256 : null;
}
