/**
 * What the provider does with one request. Pure but for the effect that it commits in `Effects`: script, wire and key rules give
 * a reaction, and whoever holds the socket and the receipt log carries it out.
 *
 * Order of the rules: a malformed request is refused; a scripted status or a drop before the commit needs no key; then the key
 * decides between a fresh effect, the first answer again, and a refusal; then the script says how the answer travels.
 */
import type { ProviderScript } from '../contract/types.js';
import type { Answer, Claim, Effect, Effects } from './effects.js';
import { behaviourOf } from './script.js';
import { errorBody, wireOf } from '../wire/route.js';

/** How a request ended for the receipts; `bytes` is the whole body that was or would have been sent. */
export interface Ending {
  readonly status: number | null;
  readonly bytes: Buffer | null;
  readonly effect: Effect | null;
}

export type Reaction =
  | { do: 'answer'; ending: Ending }
  | { do: 'cut'; ending: Answer; after_bytes: number }
  | { do: 'drop'; ending: Ending }
  | {
      do: 'wait';
      /** Milliseconds, or until released. */
      until: number | 'released';
      /** The request ends without an answer: its client is gone, or the prefix closes. */
      abandon: () => Ending;
      answer: () => Ending;
    };

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly body_sha256: string;
  readonly key: string | null;
}

const nothing: Ending = { status: null, bytes: null, effect: null };

export function react(script: ProviderScript, effects: Effects, number: number, request: Request): Reaction {
  const wire = wireOf(request);
  if (wire.kind === 'refuse') return { do: 'answer', ending: { status: wire.status, bytes: wire.bytes, effect: null } };
  const behaviour = behaviourOf(script, number);
  if (behaviour.do === 'status') return failure(behaviour.status, behaviour.message ?? `Scripted status ${behaviour.status}.`);
  if (behaviour.do === 'drop' && behaviour.when === 'before_commit') return { do: 'drop', ending: nothing };

  const claim: Claim = { key: request.key, name: wire.name, body_sha256: request.body_sha256 };
  const admission = effects.admit(claim);
  if (admission.kind === 'conflict') return failure(422, 'This idempotency key was used with another request.');
  if (admission.kind === 'in_progress') return failure(409, 'A request with this idempotency key is still in progress.');
  const text = behaviour.do === 'answer' ? behaviour.text : undefined;
  const answer = () => (admission.kind === 'replay' ? admission.answer : effects.commit(claim, (id) => wire.respond(id, text)));

  switch (behaviour.do) {
    case 'answer':
      return { do: 'answer', ending: answer() };
    case 'drop':
      return { do: 'drop', ending: answer() };
    case 'cut':
      return { do: 'cut', ending: answer(), after_bytes: behaviour.after_bytes };
    case 'hold':
    case 'delay': {
      // A replay holds nothing of its own: the first request of its key is over.
      const fresh = admission.kind === 'fresh';
      if (fresh) effects.begin(claim);
      const early = behaviour.do === 'delay' || behaviour.effect === 'committed' ? answer() : null;
      const end = (ending: Ending) => {
        if (fresh) effects.end(claim);
        return ending;
      };
      const until = behaviour.do === 'delay' ? behaviour.ms : 'released';
      return { do: 'wait', until, abandon: () => end(early ?? nothing), answer: () => end(early ?? answer()) };
    }
  }
}

function failure(status: number, message: string): Reaction {
  return { do: 'answer', ending: { status, bytes: errorBody(status, message), effect: null } };
}
