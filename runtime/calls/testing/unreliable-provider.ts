/**
 * A provider that loses, delays and refuses as a seeded stream of numbers says, and that counts what it did: the ground truth of a random walk.
 *
 * Requests come in by a transport, questions over HTTP. Guarantee, as of a real provider: under an honoured key at most one effect; after a
 * fence no effect at or below its token.
 */
import { sha256 } from '../../core/digest.js';
import type { DryRun } from '../recovery/options.js';
import type { Delivery, Transport, WireRequest } from '../wire/transport.js';
import { answered, broken, notSent, status } from './folder.js';
import { answerText, respond, startProvider, type Behaviour } from '../../testing/provider.js';

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Declared {
  honoursKey: boolean;
  reconcile: 'lookup' | 'fence';
}

interface Arrived {
  bodySha256: string;
}

const faults = ['lost', 'unanswered', 'delayed', 'refused', '500', '503', 'nonsense'] as const;
const evasions = ['404', '409', '500', 'malformed', 'other', 'without response'] as const;

export async function startUnreliableProvider() {
  let now = unreliable(() => 0, { honoursKey: false, reconcile: 'lookup' });
  const server = await startProvider((socket, request) => now.question(request.head)(socket, request));
  return {
    ...server,
    /** From now on it is another provider, that has seen nothing. */
    begin: (random: () => number, declared: Declared) => (now = unreliable(random, declared)),
  };
}

export interface UnreliableProvider {
  /** Everything works from now on, and what is on its way arrives. */
  heal: () => void;
  /** What is on its way arrives. */
  arrive: () => void;
  effectsOf: (key: string) => number;
  /** Everything that was asked of it, as a dry run names it. */
  sends: DryRun['sends'];
  transport: Transport;
  question: (head: string) => Behaviour;
}

function unreliable(random: () => number, declared: Declared): UnreliableProvider {
  const effects = new Map<string, Arrived[]>();
  const fences = new Map<string, number>();
  let delayed: WireRequest[] = [];
  const sends: DryRun['sends'] = [];
  let isHealed = false;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const told = (body: object, line = '200 OK'): Behaviour => respond(JSON.stringify(body), line);

  /** What the request does where it arrives. */
  function serve({ idempotencyKey: key, fencingToken, body }: WireRequest): Delivery {
    if (fencingToken <= (fences.get(key) ?? 0)) return status(412);
    const before = effects.get(key) ?? [];
    if (!declared.honoursKey || before.length === 0) effects.set(key, [...before, { bodySha256: sha256(body) }]);
    return answered;
  }

  function arrive(): void {
    for (const request of delayed) serve(request);
    delayed = [];
  }

  return {
    heal: () => {
      isHealed = true;
      arrive();
    },
    arrive,
    effectsOf: (key: string): number => effects.get(key)?.length ?? 0,
    sends,
    transport: (request) => {
      const { idempotencyKey, body, path } = request;
      sends.push({ method: 'POST', path, idempotency_key: idempotencyKey, body_sha256: sha256(body) });
      if (declared.honoursKey && delayed.some((one) => one.idempotencyKey === idempotencyKey) && random() < 0.5)
        return Promise.resolve(status(409));
      const fault = isHealed || random() < 0.3 ? null : pick(faults);
      if (fault === 'delayed') delayed.push(request);
      if (fault === 'lost' || fault === 'delayed') return Promise.resolve(broken);
      if (fault === 'refused') return Promise.resolve(notSent);
      if (fault === '500' || fault === '503') return Promise.resolve(status(Number(fault)));
      const delivery = serve(request);
      if (fault === 'unanswered') return Promise.resolve(broken);
      return Promise.resolve(fault === 'nonsense' && delivery === answered ? status(200) : delivery);
    },
    question: (head: string): Behaviour => {
      const [, method = '', path = ''] = /^(\w+) \/p\/token(\S+)/.exec(head) ?? [];
      const key = decodeURIComponent(/^\/keys\/([^/]+)/.exec(path)?.[1] ?? '');
      sends.push({ method, path, idempotency_key: key, body_sha256: null });
      const fenced = method === 'POST';
      const evasion = isHealed || random() < 0.4 ? null : pick(evasions);
      if (evasion === '404') return told({ found: false }, '404 Not Found');
      if (evasion === '409')
        return told({ error: 'open', request_sha256: /^request-sha256: (\w+)/im.exec(head)?.[1] }, '409 Conflict');
      if (evasion === '500') return told({}, '500 Internal Server Error');
      if (evasion === 'malformed') return told([]);
      if (evasion === 'other') return told({ fenced: false, found: true, request_sha256: '0'.repeat(64), response: null });
      if (fenced) fences.set(key, Math.max(fences.get(key) ?? 0, Number(/^fencing-token: (\d+)/im.exec(head)?.[1])));
      const served = effects.get(key)?.at(-1);
      if (random() < 0.3) arrive();
      if (served === undefined)
        return fenced
          ? told({ fenced, found: false, request_sha256: null, response: null })
          : told({ found: false }, '404 Not Found');
      const response = { body: { data: answerText, encoding: 'utf8' }, content_type: 'application/json', status: 200 };
      return told({
        fenced,
        found: true,
        request_sha256: served.bodySha256,
        response: evasion === 'without response' ? null : response,
      });
    },
  };
}
