import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, Effects } from './effects.js';

const bytes = (id: string) => Buffer.from(`answer of ${id}`);
const claim = (key: string | null, body = 'b', name = 'n'): Claim => ({ key, name, body_sha256: body });

describe('what a key may still do', () => {
  it('under honour: fresh, then in progress, then the first answer again or a conflict', () => {
    const effects = new Effects(true);
    expect(effects.admit(claim('k'))).toEqual({ kind: 'fresh' });
    effects.begin(claim('k'));
    expect(effects.admit(claim('k'))).toEqual({ kind: 'in_progress' });
    expect(effects.admit(claim('k', 'other'))).toEqual({ kind: 'conflict' });
    const answer = effects.commit(claim('k'), bytes);
    expect(answer).toEqual({
      status: 200,
      bytes: bytes('effect-1'),
      effect: { effect_id: 'effect-1', name: 'n', replayed: false },
    });
    expect(effects.admit(claim('k'))).toEqual({ kind: 'in_progress' });
    effects.end(claim('k'));
    expect(effects.admit(claim('k'))).toEqual({
      kind: 'replay',
      answer: { ...answer, effect: { ...answer.effect, replayed: true } },
    });
    expect(effects.admit(claim('k', 'other'))).toEqual({ kind: 'conflict' });
    expect(effects.admit(claim('k', 'b', 'other'))).toEqual({ kind: 'conflict' });
  });

  it('a request that ended without an effect frees its key', () => {
    const effects = new Effects(true);
    effects.begin(claim('k'));
    effects.end(claim('k'));
    expect(effects.admit(claim('k', 'other'))).toEqual({ kind: 'fresh' });
  });

  it('goes on after the effects of a log', () => {
    expect(new Effects(false, 8).commit(claim(null), bytes).effect.effect_id).toBe('effect-8');
  });
});

describe('over any sequence of requests', () => {
  const requests = fc.array(fc.record({ key: fc.option(fc.constantFrom('a', 'b', 'c')), body: fc.constantFrom('x', 'y') }));
  const run = (honour: boolean, claims: { key: string | null; body: string }[]) => {
    const effects = new Effects(honour);
    return claims.map(({ key, body }) => {
      const admission = effects.admit(claim(key, body));
      return admission.kind === 'fresh' ? effects.commit(claim(key, body), bytes).effect.effect_id : admission.kind;
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
