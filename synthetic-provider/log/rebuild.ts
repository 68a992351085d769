/**
 * Keys, effects and fences of a continued log, as if the provider had never stopped. Pure.
 *
 * A log holds the hash of an answer, not its bytes. An answer that may have to be said again (under `honour` the first of a key; where
 * look-ups or fences are offered the last one, too) is made again from the recorded request and the steps of the new script, those of the
 * request's own endpoint first, and must have the recorded status and hash; if none has, opening is refused, since "the same answer"
 * would be a lie. What was served stays served, also where the new script is strict. A fence that was set stays in force, whether or not
 * the new script offers any.
 */
import type { ProviderScript } from '../contract/types.js';
import { sha256 } from '../core/canonical.js';
import { type Continued, type Over, type Served, isServed } from './continue.js';
import { damaged } from './lines.js';
import { requestIn } from './recorded.js';
import { type Claim, type Content, Effects } from '../script/effects.js';
import { answerOf } from '../script/react.js';
import { answersFor } from '../script/script.js';
import { isQuestion, keyIn, questionOf } from '../wire/keys.js';
import { wireOf } from '../wire/route.js';

export function rebuiltEffects(script: ProviderScript, continued: Continued): Effects {
  const effects = new Effects(script.key === 'honour', continued.effects.length + 1);
  for (const request of continued.requests) setFence(effects, request);
  const owners = new Map(continued.effects.map((one) => [one.settled.effect.effect_id, one]));
  for (const one of toBeTold(script, continued)) {
    const { effect } = one.settled;
    const owner = owners.get(effect.effect_id);
    if (owner === undefined) throw new Error(`${effect.effect_id} has no request that had it.`);
    effects.remember(claimOf(one), { ...answerAgain(script, owner), effect });
  }
  return effects;
}

/** A fence stood if it was answered as one: with what it found (200), or with what was in progress (409). */
function setFence(effects: Effects, { received, settled }: Over): void {
  if (!isQuestion(received.path) || (settled.status !== 200 && settled.status !== 409)) return;
  const question = questionOf(requestIn(received));
  if (question.kind === 'fence') effects.fence(question.key, question.token);
}

/** By key the first effect, where keys are honoured, and then the last request that was served, where somebody may ask. */
function toBeTold(script: ProviderScript, { requests, effects }: Continued): Served[] {
  const keyOf = ({ received }: Served) => keyIn(received.idempotency_key);
  const byKey = (served: readonly Served[]) => new Map(served.flatMap((one) => (keyOf(one) === null ? [] : [[keyOf(one), one]])));
  // Under a log that ignored keys one key may have many effects; the first stands, as it would have.
  const first = script.key === 'honour' ? byKey(effects.toReversed()).values() : [];
  const asks = script.lookup !== undefined || script.fence === true;
  const last = asks ? byKey(requests.filter(isServed)).values() : [];
  return [...first, ...last];
}

function claimOf({ received, settled }: Served): Claim {
  const { key, token, body_sha256 } = requestIn(received);
  return { key, token, name: settled.effect.name, body_sha256 };
}

function answerAgain(script: ProviderScript, { received, settled }: Served): Content {
  const { effect_id } = settled.effect;
  const wire = wireOf(requestIn(received));
  if (wire.kind === 'serve') {
    for (const step of answersFor(script, received.path)) {
      const answer = answerOf(step, wire, effect_id);
      if (answer.status === settled.status && sha256(answer.bytes) === settled.response_sha256) return answer;
    }
  }
  throw damaged(`the answer of ${effect_id} cannot be made again; give what it said in the script`);
}
