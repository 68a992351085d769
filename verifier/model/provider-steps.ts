/**
 * How a request may end under one step of a script, as a table, and what each endpoint asks for before any script is looked at. Pure.
 */
import type { ProviderScript } from '../contract/types.js';
import { EvidenceError } from '../errors.js';
import { canonical, decodeUtf8, parseJson } from '../read/canonical.js';
import type { Received, Settled } from '../read/receipts.js';
import { conversationWrong } from './conversation.js';

export type Step = ProviderScript['otherwise'];
/** A step of a request that arrives when it was sent. */
export type OnTime = Exclude<Step, { do: 'delay_arrival' }>;
export type Ended = Settled['ended'];

/** What `settled` must say beside how the request ended. `own` and `replay` name an effect, `none` has none. */
export interface Ending {
  readonly status: number | null;
  readonly effect: 'none' | 'own' | 'replay';
}

/** The ways in which a request may end, each with what must be recorded with it. */
export type Ruling = Partial<Record<Ended, Ending>>;

export const nothing: Ending = { status: null, effect: 'none' };
export const refused = (status: number): Ruling => ({ answered: { status, effect: 'none' } });
/** A held or delayed request may be answered, outlive its client, or still wait when the prefix closes. */
export const waiting = (answered: Ending, abandoned: Ending): Ruling => ({
  answered,
  gone_while_held: abandoned,
  held_at_close: abandoned,
});

export const preconditionFailed = 412;
/** What a fence ruled out while it waited ends without an effect, however it ends. */
export const ruledOut: Ruling = waiting(
  { status: preconditionFailed, effect: 'none' },
  { status: preconditionFailed, effect: 'none' },
);

/** Nobody waits for the answer to what arrives late. */
export function late(answered: Ending): Ruling {
  return { gone_while_held: answered };
}

/** What answers as an overloaded front does, without having looked at the key. */
export function needsNoKey(step: OnTime): boolean {
  return (
    step.do === 'status' || (step.do === 'drop' && step.when === 'before_commit') || (step.do === 'raw' && step.effect === 'none')
  );
}

/** It waits, and may have its effect only at its end. */
export function isWaiting(step: OnTime): boolean {
  return step.do === 'hold' || step.do === 'delay';
}

/** One row for each step; `served` is the effect that the key allows, `status` that of the answer to be given again. */
export function rulingOf(step: OnTime, served: 'own' | 'replay', status: number | null = 200): Ruling {
  const answer: Ending = { status: served === 'own' ? 200 : status, effect: served };
  switch (step.do) {
    case 'answer':
      return { answered: answer };
    case 'cut':
      return { reset: answer };
    case 'drop':
      return { dropped: step.when === 'after_commit' ? answer : nothing };
    case 'status':
      return refused(step.status);
    case 'delay':
      return waiting(answer, answer);
    case 'hold':
      return waiting(answer, step.effect === 'committed' ? answer : nothing);
    case 'raw':
      if (step.effect === 'none') return refused(step.status);
      return { answered: served === 'own' ? { ...answer, status: step.status } : answer };
  }
}

/**
 * The whole body of the answer that comes with an effect of `/effects/<name>`: what the script says, else what the provider says of each of
 * them. Null where a step has no effect, and is refused in the provider's own words.
 */
export function effectTextOf(
  step: OnTime,
  { effect_id, name }: Pick<NonNullable<Settled['effect']>, 'effect_id' | 'name'>,
): string | null {
  if (step.do === 'status') return null;
  if (step.do === 'raw') return step.body;
  return step.do === 'answer' && step.text !== undefined ? step.text : canonical({ effect_id, name });
}

/** The name of the effect that a request asks for, or the status with which it is refused whatever else the script says. */
export function endpointOf({ method, path, body }: Received, isStrict = false): { name: string } | { status: number } {
  const effect = effectIn(path);
  if (pathnameOf(path) !== '/v1/chat/completions' && effect === null) return { status: 404 };
  if (method !== 'POST') return { status: 405 };
  if (effect !== null) return { name: effect };
  return isChatRequest(Buffer.from(body.data, body.encoding), isStrict) ? { name: 'chat.completions' } : { status: 400 };
}

function pathnameOf(path: string): string {
  return path.split('?', 1)[0] ?? '';
}

/** What stands below `/effects/`; null where the path is another one. */
export function effectIn(path: string): string | null {
  return /^\/effects\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/.exec(pathnameOf(path))?.[1] ?? null;
}

function isChatRequest(bytes: Uint8Array, isStrict: boolean): boolean {
  try {
    const value: unknown = parseJson(decodeUtf8(bytes));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    const { model, messages, stream } = value as Record<string, unknown>;
    const isModel = typeof model === 'string' && model !== '' && !/\p{Surrogate}/u.test(model);
    const isTaken = Array.isArray(messages) && messages.length > 0 && (!isStrict || conversationWrong(messages) === null);
    return isModel && isTaken && stream !== true;
  } catch (error) {
    if (error instanceof EvidenceError) return false;
    throw error;
  }
}

export type Question =
  | { readonly kind: 'lookup'; readonly key: string }
  | { readonly kind: 'fence'; readonly key: string; readonly token: number }
  | { readonly kind: 'refused'; readonly status: number };

/** What is asked of a key, or the status with which the question is refused whatever the script says. */
export function questionOf(received: Received): Question {
  const [, quoted, fence] = /^\/keys\/([^/]+)(\/fence)?$/.exec(received.path.split('?', 1)[0] ?? '') ?? [];
  if (quoted === undefined) return { kind: 'refused', status: 404 };
  if (received.method !== (fence === undefined ? 'GET' : 'POST')) return { kind: 'refused', status: 405 };
  const key = unquoted(quoted);
  if (key === null) return { kind: 'refused', status: 400 };
  if (fence === undefined) return { kind: 'lookup', key };
  const token = tokenOf(received);
  return token === null ? { kind: 'refused', status: 400 } : { kind: 'fence', key, token };
}

function unquoted(text: string): string | null {
  try {
    const key = decodeURIComponent(text);
    return /\p{Surrogate}/u.test(key) ? null : key;
  } catch {
    return null;
  }
}

/** The fencing token of a request; null where it has none, which is below every fence. */
export function tokenOf({ headers }: Pick<Received, 'headers'>): number | null {
  const header = headers['fencing-token'];
  const token = header !== undefined && /^(?:0|[1-9]\d*)$/.test(header) ? Number(header) : NaN;
  return Number.isSafeInteger(token) ? token : null;
}
