/**
 * Keys and effects of a continued log, as if the provider had never stopped. Pure.
 *
 * A log holds the hash of an answer, not its text. The first answer of a key is made again from the recorded body and either the
 * deterministic sentence or a text of the new script, and must have the recorded hash; if none has, opening is refused, since
 * "the first answer again" would be a lie.
 */
import type { ProviderScript } from '../contract/types.js';
import { sha256 } from '../core/canonical.js';
import type { Continued, Served } from './continue.js';
import { Effects } from '../script/effects.js';
import { ProviderError } from '../core/errors.js';
import { textsOf } from '../script/script.js';
import { wireOf } from '../wire/route.js';

export function rebuiltEffects(script: ProviderScript, continued: Continued): Effects {
  const effects = new Effects(script.key === 'honour', continued.effects + 1);
  if (script.key === 'ignore') return effects;
  for (const one of continued.served) {
    const key = one.received.idempotency_key;
    if (key === null) continue;
    const claim = { key, name: one.settled.effect.name, body_sha256: one.received.body_sha256 };
    // Under a log that ignored keys one key may have many effects; the first stands, as it would have.
    if (effects.admit(claim).kind !== 'fresh') continue;
    effects.remember(claim, { status: 200, bytes: firstAnswer(script, one), effect: one.settled.effect });
  }
  return effects;
}

function firstAnswer(script: ProviderScript, { received, settled, body }: Served): Buffer {
  const wire = wireOf({ method: received.method, path: received.path, body });
  if (wire.kind === 'serve') {
    for (const text of [undefined, ...textsOf(script)]) {
      const bytes = wire.respond(settled.effect.effect_id, text);
      if (sha256(bytes) === settled.response_sha256) return bytes;
    }
  }
  throw new ProviderError(
    'receipts-damaged',
    `The receipts cannot be continued: the answer of ${settled.effect.effect_id} cannot be made again; give its text in the script.`,
  );
}
