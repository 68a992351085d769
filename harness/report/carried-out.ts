/** What came of an operation, for people and as one document: what was done or would be, and what the record asks for now. Pure. */
import type { Answer } from '../contract/types.js';
import { linesOfText } from './foreign-text.js';
import { nextLines, type Place, sessionNextLines, type SessionWayOn, type TaskWayOn } from './way-on.js';

export interface CarriedOut {
  readonly answer: Answer;
  /** The record does not tell whether the provider served what was sent. */
  readonly effectUnknown: boolean;
  /** What else could be said on the command line. */
  readonly hint: string | null;
  /** Null where nobody looked, or nobody could. */
  readonly next: readonly TaskWayOn[] | null;
}

/** The same of something done to a session. */
export interface DoneToSession {
  readonly answer: Answer;
  /** Nobody can know what became of something that was sent. */
  readonly effectUnknown: boolean;
  readonly hint: string | null;
  readonly next: SessionWayOn | null;
  /** What the model said at the end of the run. */
  readonly said: string | null;
}

export function carriedOutDocument({ answer, effectUnknown, hint, next }: CarriedOut): object {
  const { status, detail, operations = [], refusal, would = null } = answer;
  const error = { code: 'operation-refused', items: [], message: detail };
  return {
    ...(status === 'refused' && { error }),
    detail,
    effect_unknown: effectUnknown,
    hint,
    next,
    operations,
    refusal,
    status,
    would,
  };
}

export function carriedOutText({ answer, effectUnknown, hint, next }: CarriedOut, place: Place): string {
  const { detail, status, would, operations = [] } = answer;
  const lines = [
    `${status === 'refused' ? 'killpoint: ' : ''}${detail ?? status}`,
    ...(would === undefined ? [] : wouldLines(would)),
    ...(status === 'refused' && operations.length > 0 ? [`Before that: ${operations.join(', ')}.`] : []),
    ...(hint === null ? [] : [hint]),
    ...(effectUnknown ? ['The effect is unknown: the request may have been served.'] : []),
    ...(next === null ? [] : nextLines(next, place)),
  ];
  return `${lines.join('\n')}\n`;
}

export function sessionDocument({ answer, effectUnknown, hint, next, said }: DoneToSession): object {
  const { status, detail, refusal, session_refusal = null, replayed } = answer;
  const error = { code: 'operation-refused', items: [], message: detail };
  return {
    ...(status === 'refused' && { error }),
    detail,
    effect_unknown: effectUnknown,
    hint,
    next,
    refusal,
    replayed,
    said,
    session_refusal,
    status,
  };
}

export function sessionDoneText({ answer, effectUnknown, hint, next, said }: DoneToSession, place: Place): string {
  const { detail, status } = answer;
  const lines = [
    `${status === 'refused' ? 'killpoint: ' : ''}${detail ?? status}`,
    ...(said === null ? [] : linesOfText(said, 40).map((line) => `  ${line}`)),
    ...(hint === null ? [] : [hint]),
    ...(effectUnknown
      ? ['Something that was sent may have happened, and nobody can know; find out before you ask for it again.']
      : []),
    ...(next === null ? [] : sessionNextLines(next, place)),
  ];
  return `${lines.join('\n')}\n`;
}

function wouldLines({ appends, sends }: NonNullable<Answer['would']>): string[] {
  const requests = sends.map(
    ({ method, path, idempotency_key, body_sha256 }) =>
      `${method} ${path}, key ${idempotency_key}${body_sha256 === null ? '' : `, body ${body_sha256}`}`,
  );
  return [`would append  ${appends.join(', ') || 'nothing'}`, `would send    ${requests.join('; ') || 'nothing'}`];
}
