import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, Effects, type Exchange } from './effects.js';

const bytes = (id: string) => Buffer.from(`answer of ${id}`);
const content = (id: string) => ({ status: 200, content_type: null, bytes: bytes(id) });
const claim = (key: string | null, body = 'b', name = 'n', token: number | null = null): Claim => ({
  key,
  name,
  body_sha256: body,
  token,
});

describe('what a key may still do', () => {
  it('under honour: fresh, then in progress, then the first answer again or a conflict', () => {
    const effects = new Effects(true);
    expect(effects.admit(claim('k'))).toEqual({ kind: 'fresh' });
    const exchange = effects.begin(claim('k'));
    expect(effects.admit(claim('k'))).toEqual({ kind: 'in_progress' });
    expect(effects.admit(claim('k', 'other'))).toEqual({ kind: 'conflict' });
    const answer = effects.commit(exchange, content);
    expect(answer).toEqual({
      ...content('effect-1'),
      effect: { effect_id: 'effect-1', name: 'n', replayed: false },
    });
    expect(effects.admit(claim('k'))).toEqual({ kind: 'in_progress' });
    effects.end(exchange);
    expect(effects.admit(claim('k'))).toEqual({
      kind: 'replay',
      answer: { ...answer, effect: { ...answer.effect, replayed: true } },
    });
    expect(effects.admit(claim('k', 'other'))).toEqual({ kind: 'conflict' });
    expect(effects.admit(claim('k', 'b', 'other'))).toEqual({ kind: 'conflict' });
  });

  it('a request that ended without an effect frees its key', () => {
    const effects = new Effects(true);
    effects.end(effects.begin(claim('k')));
    expect(effects.admit(claim('k', 'other'))).toEqual({ kind: 'fresh' });
  });

  it('goes on after the effects of a log', () => {
    const effects = new Effects(false, 8);
    expect(effects.commit(effects.begin(claim(null)), content).effect.effect_id).toBe('effect-8');
  });
});

describe('a fence', () => {
  const admit = (effects: Effects, token: number | null) => effects.admit(claim('k', 'b', 'n', token)).kind;

  it.each([true, false])('refuses its key up to its token and without one, and is never lowered (honour %j)', (honour) => {
    const effects = new Effects(honour);
    effects.fence('k', 7);
    effects.fence('k', 3);
    expect([null, 0, 7, 8].map((token) => admit(effects, token))).toEqual(['fenced', 'fenced', 'fenced', 'fresh']);
    expect([claim('other', 'b', 'n', 1), claim(null)].map((one) => effects.admit(one).kind)).toEqual(['fresh', 'fresh']);
  });

  it('takes the key from who waits without an effect, for good, and from nobody else', () => {
    const effects = new Effects(true);
    const waits = effects.begin(claim('k', 'b', 'n', 1));
    expect(admit(effects, 2)).toBe('in_progress');
    effects.fence('k', 1);
    expect([effects.isFenced(waits.claim), admit(effects, 2), effects.tell('k').kind]).toEqual([true, 'fresh', 'absent']);
    const second = effects.begin(claim('k', 'b', 'n', 2));
    effects.end(waits);
    expect([admit(effects, 3), effects.tell('k').kind]).toEqual(['in_progress', 'in_progress']);
    effects.commit(second, content);
    effects.fence('k', 5);
    expect([admit(effects, 5), admit(effects, 6), effects.tell('k').kind]).toEqual(['fenced', 'in_progress', 'in_progress']);
    effects.end(second);
    expect([admit(effects, 6), effects.tell('k').kind]).toEqual(['replay', 'found']);
  });
});

describe('what is told of a key', () => {
  it('is its last request that waits or had an effect', () => {
    const effects = new Effects(false);
    const told = () => {
      const one = effects.tell('k');
      return one.kind === 'found' ? one.answer.effect.effect_id : one.kind;
    };
    expect(told()).toBe('absent');
    const [first, second, third] = [1, 2, 3].map(() => effects.begin(claim('k'))) as [Exchange, Exchange, Exchange];
    effects.commit(second, content);
    expect(told()).toBe('in_progress');
    effects.end(second);
    effects.end(third);
    expect(told()).toBe('effect-1');
    effects.commit(first, content);
    effects.end(first);
    // Its effect came later; the request was an earlier one.
    expect(told()).toBe('effect-1');
    effects.begin(claim(null));
    expect(told()).toBe('effect-1');
  });
});

describe('over any sequence of requests', () => {
  const requests = fc.array(fc.record({ key: fc.option(fc.constantFrom('a', 'b', 'c')), body: fc.constantFrom('x', 'y') }));
  const run = (honour: boolean, claims: { key: string | null; body: string }[]) => {
    const effects = new Effects(honour);
    return claims.map(({ key, body }) => {
      const admission = effects.admit(claim(key, body));
      if (admission.kind !== 'fresh') return admission.kind;
      const exchange = effects.begin(claim(key, body));
      const { effect } = effects.commit(exchange, content);
      effects.end(exchange);
      return effect.effect_id;
    });
  };

  it('honour has one effect a key, and one for each request without one', () => {
    fc.assert(
      fc.property(requests, (claims) => {
        const keys = new Set(claims.flatMap(({ key }) => key ?? []));
        const own = run(true, claims).filter((word) => word.startsWith('effect-'));
        expect(own).toEqual(
          Array.from({ length: keys.size + claims.filter(({ key }) => key === null).length }, (_, n) => `effect-${n + 1}`),
        );
      }),
    );
  });

  it('ignore has one effect a request', () => {
    fc.assert(
      fc.property(requests, (claims) => {
        expect(run(false, claims)).toEqual(claims.map((_, n) => `effect-${n + 1}`));
      }),
    );
  });
});
