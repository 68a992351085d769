/**
 * What the provider does with one request. Pure but for the effect that it commits in `Effects`: script, wire, fence and key give
 * a reaction, and whoever holds the socket and the receipt log carries it out.
 *
 * The rules, the first that fits; what a key may still do is in `Effects`:
 *
 * | a request that arrives                                          | is answered            | effect                 |
 * |-----------------------------------------------------------------|------------------------|------------------------|
 * | with a path, method or body that is not served                  | 404, 405, 400          | none                   |
 * | with a conversation that breaks a rule, where `strict`          | 400                    | none                   |
 * | at a step `status`, `drop` before the commit, `raw` without one | as the step says       | none                   |
 * | with a key, and a fence of it is at or above its token          | 412                    | none                   |
 * | with an honoured key that has another body or endpoint          | 422                    | none                   |
 * | with an honoured key whose first request is still open          | 409                    | none                   |
 * | with an honoured key that has its answer                        | the first answer again | replayed               |
 * | any other                                                       | as the step says       | its own, once          |
 * | one that waits without an effect when it is fenced, at its end  | 412                    | none; its key is free  |
 *
 * A step stands before the gate for what answers without having looked at the key, as an overloaded front does. A request that was on
 * its way arrives without a step: the rest of the table holds for it as for any other. An effect that has happened is not undone by a
 * later fence, and an answer that was replayed before the fence stays one.
 */
import { type Answer, type Claim, type Content, type Effect, type Effects } from './effects.js';
import type { Behaviour, CutHow } from './script.js';
import { errorBody } from '../wire/errors.js';
import { type Wire, wireOf } from '../wire/route.js';
import type { Scripted } from '../wire/scripted.js';

/** How a request ended for the receipts; `bytes` is the whole body that was or would have been sent. */
export interface Ending {
  readonly status: number | null;
  readonly content_type: string | null;
  readonly bytes: Buffer | null;
  readonly effect: Effect | null;
}

export type Reaction =
  | { do: 'answer'; ending: Ending }
  | { do: 'cut'; ending: Answer; after_bytes: number; how: CutHow }
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
  readonly token: number | null;
}

/** The steps of a request that arrives when it was sent. */
export type OnTime = Exclude<Behaviour, { do: 'delay_arrival' }>;

export const nothing: Ending = { status: null, content_type: null, bytes: null, effect: null };

export function react(step: OnTime, effects: Effects, request: Request, isStrict = false): Reaction {
  const wire = wireOf(request, isStrict);
  if (wire.kind === 'refuse') return { do: 'answer', ending: json(wire.status, wire.bytes) };
  if (step.do === 'status')
    return { do: 'answer', ending: failure(step.status, step.message ?? `Scripted status ${step.status}.`) };
  if (step.do === 'drop' && step.when === 'before_commit') return { do: 'drop', ending: nothing };
  if (step.do === 'raw' && step.effect === 'none') return { do: 'answer', ending: { ...contentOf(step), effect: null } };

  const admitted = admit(effects, request, wire, step);
  if ('refusal' in admitted) return { do: 'answer', ending: admitted.refusal };
  const { claim, serve, end } = admitted;
  switch (step.do) {
    case 'answer':
    case 'raw':
      return { do: 'answer', ending: end(serve()) };
    case 'drop':
      return { do: 'drop', ending: end(serve()) };
    case 'cut':
      return { do: 'cut', ending: end(serve()), after_bytes: step.after_bytes, how: step.how ?? 'length' };
    case 'hold':
    case 'delay': {
      const early = step.do === 'delay' || step.effect === 'committed' ? serve() : null;
      // The fence may come while the request waits.
      const late = (ending: () => Ending) => end(early ?? (effects.isFenced(claim) ? fenced() : ending()));
      const until = step.do === 'delay' ? step.ms : 'released';
      return { do: 'wait', until, abandon: () => late(() => nothing), answer: () => late(serve) };
    }
  }
}

/** A request that was on its way arrives; nobody waits for its answer any more. */
export function arrive(effects: Effects, request: Request, isStrict = false): Ending {
  const wire = wireOf(request, isStrict);
  if (wire.kind === 'refuse') return json(wire.status, wire.bytes);
  const admitted = admit(effects, request, wire, { do: 'answer' });
  return 'refusal' in admitted ? admitted.refusal : admitted.end(admitted.serve());
}

type Served = Extract<Wire, { kind: 'serve' }>;

interface Admitted {
  readonly claim: Claim;
  /** The effect of this request, or the first answer of its key again. */
  readonly serve: () => Answer;
  readonly end: <E extends Ending>(ending: E) => E;
}

function admit(effects: Effects, request: Request, wire: Served, step: OnTime): Admitted | { readonly refusal: Ending } {
  const claim: Claim = { key: request.key, token: request.token, name: wire.name, body_sha256: request.body_sha256 };
  const admission = effects.admit(claim);
  switch (admission.kind) {
    case 'fenced':
      return { refusal: fenced() };
    case 'conflict':
      return { refusal: failure(422, 'This idempotency key was used with another request.') };
    case 'in_progress':
      return { refusal: failure(409, 'A request with this idempotency key is still in progress.') };
    case 'fresh':
    case 'replay': {
      const exchange = effects.begin(claim);
      const serve = () =>
        admission.kind === 'replay'
          ? effects.repeat(exchange, admission.answer)
          : effects.commit(exchange, (id) => answerOf(step, wire, id));
      const end = <E extends Ending>(ending: E): E => {
        effects.end(exchange);
        return ending;
      };
      return { claim, serve, end };
    }
  }
}

/** The answer to a request that has this effect at this step, at whatever moment it is given. */
export function answerOf(step: Behaviour, wire: Served, effectId: string): Content {
  if (step.do === 'raw') return contentOf(step);
  const scripted: Scripted = step.do === 'answer' ? step : {};
  return { status: 200, ...wire.respond(effectId, scripted) };
}

function contentOf(step: { status: number; content_type: string | null; body: string }): Content {
  return { status: step.status, content_type: step.content_type, bytes: Buffer.from(step.body) };
}

export function json(status: number, bytes: Buffer): Content & { effect: null } {
  return { status, content_type: 'application/json', bytes, effect: null };
}

export function failure(status: number, message: string): Ending {
  return json(status, errorBody(status, message));
}

function fenced(): Ending {
  return failure(412, 'A fence of this idempotency key rules this request out.');
}
