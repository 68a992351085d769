/**
 * G12: What the response bytes mean is what the independent interpreter reads in them, and the recorded result is that text.
 * Verified: result, finish reason and text of every interpretation from its preserved bytes; the text of every recorded result.
 * Not verified: `detail`, which is prose; interpreters of other names, which are unknown here and said so.
 */
import type { Attempt, Call } from '../model/history.js';
import { interpret } from '../model/interpreter.js';
import { EvidenceError } from '../errors.js';
import type { Ledger } from '../read/events.js';
import { textSha256 } from '../read/hash.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { historyIn } from './derived.js';

export const g12: CaseCheck = {
  guarantee: 'G12',
  sentence:
    'What the response bytes mean is what the independent interpreter reads in them, and the recorded result is that text.',
  covers: 'result, finish reason and text of every interpretation; the text of every recorded result',
  doesNotCover: 'the prose of `detail`',
  codes: ['interpretation-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, (snapshot, say) => {
      const ledger = need(snapshot.ledger);
      const file = snapshot.file('state/ledger.sqlite');
      for (const call of historyIn(snapshot).calls.values()) {
        for (const attempt of call.attempts) {
          const wrong = interpretedWrong(attempt, ledger);
          if (wrong !== null) say('interpretation-mismatch', wrong, { file, seq: attempt.interpreted?.seq ?? null });
        }
        for (const result of call.results) {
          if (result.text_sha256 !== answerText(call))
            say('interpretation-mismatch', 'The recorded result is not the text of the answer.', { file, seq: result.seq });
        }
      }
    }),
};

function interpretedWrong({ observed, interpreted }: Attempt, { artifacts }: Ledger): string | null {
  if (interpreted === undefined) return null;
  const { name, version } = interpreted.interpreter;
  if (name !== 'chat-completions' || version !== 1)
    throw new EvidenceError('absent', `The interpreter ${name} ${version} is not known here.`);
  const response = observed?.response_sha256 == null ? undefined : artifacts.get(observed.response_sha256);
  if (observed === undefined || response === undefined) return 'There are no preserved bytes to interpret.';
  const meaning = interpret(observed.status, response.bytes);
  if (meaning.result !== interpreted.result) return `The bytes read as ${meaning.result}, recorded is ${interpreted.result}.`;
  if (meaning.finish_reason !== interpreted.finish_reason) return 'The finish reason is not the one in the bytes.';
  const text = meaning.text === null ? null : textSha256(meaning.text);
  return text === interpreted.text_sha256 ? null : 'The text is not the one in the bytes.';
}

function answerText(call: Call): string | null {
  return call.attempts.find(({ interpreted }) => interpreted?.result === 'answer')?.interpreted?.text_sha256 ?? null;
}
