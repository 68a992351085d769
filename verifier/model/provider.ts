/**
 * What the provider must have done with each request, by the script that its prefix was opened with: a model written from the
 * provider's own description and not from its code. Pure.
 *
 * Order of the rules: what no endpoint serves is refused; a scripted status or a drop before the commit needs no key; then the key
 * decides between a fresh effect, the first answer again, and a refusal; then the step says how the answer travels. The numbering
 * of steps starts anew in every prefix, keys and effects go on from the log that it continues.
 */
import type { ProviderScript } from '../contract/types.js';
import { EvidenceError } from '../errors.js';
import { decodeUtf8, parseJson } from '../read/canonical.js';
import type { Request, Settled } from '../read/receipts.js';

type Step = ProviderScript['otherwise'];
type Ended = Settled['ended'];

/** What `settled` must say beside how the request ended. `own` and `replay` name an effect, `none` has none. */
interface Ending {
  readonly status: number | null;
  readonly effect: 'none' | 'own' | 'replay';
}

/** The ways in which a request may end, each with what must be recorded with it. */
type Ruling = Partial<Record<Ended, Ending>>;

const nothing: Ending = { status: null, effect: 'none' };
const refused = (status: number): Ruling => ({ answered: { status, effect: 'none' } });
/** A held or delayed request may be answered, outlive its client, or still wait when the prefix closes. */
const waiting = (answered: Ending, abandoned: Ending): Ruling => ({
  answered,
  gone_while_held: abandoned,
  held_at_close: abandoned,
});

/** One row for each step; `served` is the effect that the key allows. */
export function rulingOf(step: Step, served: 'own' | 'replay'): Ruling {
  const answer: Ending = { status: 200, effect: served };
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
  }
}

/** The name of the effect that a request asks for, or the status with which it is refused whatever the script says. */
export function endpointOf({ method, path, body }: Request['received']): { name: string } | { status: number } {
  const pathname = path.split('?', 1)[0] ?? '';
  const effect = /^\/effects\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/.exec(pathname)?.[1];
  if (pathname !== '/v1/chat/completions' && effect === undefined) return { status: 404 };
  if (method !== 'POST') return { status: 405 };
  if (effect !== undefined) return { name: effect };
  return isChatRequest(Buffer.from(body.data, body.encoding)) ? { name: 'chat.completions' } : { status: 400 };
}

function isChatRequest(bytes: Uint8Array): boolean {
  try {
    const value: unknown = parseJson(decodeUtf8(bytes));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    const { model, messages, stream } = value as Record<string, unknown>;
    const isModel = typeof model === 'string' && model !== '' && !/\p{Surrogate}/u.test(model);
    return isModel && Array.isArray(messages) && messages.length > 0 && stream !== true;
  } catch (error) {
    if (error instanceof EvidenceError) return false;
    throw error;
  }
}

/** The first served request of a key. */
interface First {
  readonly name: string;
  readonly body: string;
  /** The line with which it was over; its key is in progress until then. */
  readonly over: number;
  readonly settled: Settled | undefined;
}

interface Departure {
  readonly request: Request;
  readonly detail: string;
}

/** Every request after the inherited ones that did not go as the script says. One that was never settled is left to G18. */
export function departures(requests: readonly Request[], inherited: number, script: ProviderScript): Departure[] {
  const firsts = firstsOf(requests.slice(0, inherited));
  return requests.slice(inherited).flatMap((request, index) => {
    const step = script.requests[index] ?? script.otherwise;
    const { ruling, name, first } = judged(request, step, script.key === 'honour', firsts);
    const { settled } = request;
    if (settled === undefined) return [];
    const ending = ruling[settled.ended];
    const ways = Object.keys(ruling).join(' or ');
    const detail =
      ending === undefined
        ? `The request ended as ${settled.ended}; by its script it ends as ${ways}.`
        : recordWrong(settled, ending, name, first);
    return detail === null ? [] : [{ request, detail }];
  });
}

interface Judged {
  readonly ruling: Ruling;
  readonly name: string;
  readonly first: First | undefined;
}

/** Remembers a fresh request under its key. */
function judged({ received, settled }: Request, step: Step, honours: boolean, firsts: Map<string, First>): Judged {
  const endpoint = endpointOf(received);
  const as = (ruling: Ruling, name = '', first?: First): Judged => ({ ruling, name, first });
  if ('status' in endpoint) return as(refused(endpoint.status));
  const { name } = endpoint;
  const needsNoKey = step.do === 'status' || (step.do === 'drop' && step.when === 'before_commit');
  const key = honours && !needsNoKey ? received.idempotency_key : null;
  const first = key === null ? undefined : firsts.get(key);
  // What ended without an effect left its key free.
  if (key === null || first === undefined || (first.over < received.seq && first.settled?.effect === null)) {
    const isWaiting = step.do === 'hold' || step.do === 'delay';
    const over = isWaiting ? (settled?.seq ?? Infinity) : received.seq;
    if (key !== null) firsts.set(key, { name, body: received.body_sha256, over, settled });
    return as(rulingOf(step, 'own'), name);
  }
  if (first.body !== received.body_sha256 || first.name !== name) return as(refused(422));
  return first.over > received.seq ? as(refused(409)) : as(rulingOf(step, 'replay'), name, first);
}

/** Keys as the inherited log leaves them; under a log that ignored keys one may have many effects, and the first stands. */
function firstsOf(inherited: readonly Request[]): Map<string, First> {
  const firsts = new Map<string, First>();
  const numberOf = ({ settled }: Request): number => Number(settled?.effect?.effect_id.replace('effect-', ''));
  const served = inherited.filter(({ settled }) => settled?.effect?.replayed === false);
  for (const { received, settled } of served.sort((left, right) => numberOf(left) - numberOf(right))) {
    const { idempotency_key: key, body_sha256: body } = received;
    if (key !== null && !firsts.has(key)) firsts.set(key, { name: settled?.effect?.name ?? '', body, over: 0, settled });
  }
  return firsts;
}

function recordWrong(settled: Settled, ending: Ending, name: string, first: First | undefined): string | null {
  const { status, response_sha256: response, effect } = settled;
  if (status !== ending.status) return `The status is ${status}; by its script it is ${ending.status}.`;
  if ((response === null) !== (status === null)) return 'An answer has a status and bytes, and where there is none neither.';
  if (ending.effect === 'none') return effect === null ? null : 'The request had an effect that its script does not give it.';
  if (effect === null) return 'The request had no effect, although its script gives it one.';
  if (effect.name !== name) return 'The effect has another name than the endpoint.';
  if (effect.replayed !== (ending.effect === 'replay')) return 'A key was honoured where it is ignored, or the reverse.';
  if (!effect.replayed) return null;
  const isSame = effect.effect_id === first?.settled?.effect?.effect_id && response === first.settled.response_sha256;
  return isSame ? null : 'A replay is not the first answer of its key.';
}
