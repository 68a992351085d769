import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import { sha256 } from '../core/canonical.js';
import { Effects } from './effects.js';
import { reactToQuestion } from './questions.js';
import { type Reaction, react } from './react.js';
import type { LookupBehaviour } from './script.js';
import { type Question, questionOf } from '../wire/keys.js';

const body = '{"messages":[{}],"model":"m"}';
const ours = sha256(body);
const asked = sha256('asked');
const script = (...requests: LookupBehaviour[]): ProviderScript => ({
  key: 'ignore',
  requests: [],
  otherwise: { do: 'answer' },
  lookup: { requests, otherwise: { do: 'tell' } },
  fence: true,
});
const lookup: Question = { kind: 'lookup', key: 'k' };
const fence = (token: number): Question => ({ kind: 'fence', key: 'k', token });
const sent = (effects: Effects, step: Parameters<typeof react>[0], token = 1): Reaction =>
  react(step, effects, {
    ...{ method: 'POST', path: '/v1/chat/completions', body: Buffer.from(body), body_sha256: ours, key: 'k', token },
  });

function answer(reaction: Reaction): { status: number | null; body: Record<string, unknown> } {
  const { status, bytes, effect } = reaction.do === 'wait' ? reaction.answer() : reaction.ending;
  expect(effect).toBe(null);
  return { status, body: JSON.parse(String(bytes)) as Record<string, unknown> };
}
const ask = (effects: Effects, question: Question, step: LookupBehaviour = { do: 'tell' }) =>
  answer(reactToQuestion(script(step), effects, question, 1, asked));

const found = { found: true, request_sha256: ours };
const absent = { status: 404, body: { found: false } };
const fenced = { status: 200, body: { fenced: true, found: false, request_sha256: null, response: null } };

describe('what is true of a key', () => {
  it('nothing: 404, and a fence says that nothing will be', () => {
    expect([ask(new Effects(false), lookup), ask(new Effects(false), fence(1))]).toEqual([absent, fenced]);
  });

  it.each<Parameters<typeof react>[0]>([
    { do: 'answer', text: 'Hello.' },
    { do: 'drop', when: 'after_commit' },
    { do: 'cut', after_bytes: 1 },
    { do: 'raw', status: 200, content_type: null, body: '{', effect: 'committed' },
  ])('served by %j: the answer that was or would have been sent', (step) => {
    const effects = new Effects(false);
    const reaction = sent(effects, step);
    if (reaction.do === 'wait') throw new Error('It waits.');
    const { status, content_type, bytes } = reaction.ending;
    const response = { body: { data: String(bytes), encoding: 'utf8' }, content_type, status };
    expect(ask(effects, lookup)).toEqual({ status: 200, body: { ...found, fenced: false, response } });
    expect(ask(effects, lookup, { do: 'without_response' }).body).toEqual({ ...found, fenced: false, response: null });
    expect(ask(effects, fence(1))).toEqual({ status: 200, body: { ...found, fenced: true, response } });
    // What was refused later has left nothing to tell of.
    sent(effects, { do: 'status', status: 503 }, 2);
    sent(effects, { do: 'answer' });
    expect(ask(effects, lookup)).toEqual({ status: 200, body: { ...found, fenced: false, response } });
  });

  it.each<Parameters<typeof react>[0]>([
    { do: 'status', status: 503 },
    { do: 'drop', when: 'before_commit' },
    { do: 'raw', status: 200, content_type: null, body: '', effect: 'none' },
  ])('refused by %j: nothing', (step) => {
    const effects = new Effects(true);
    sent(effects, step);
    expect([ask(effects, lookup), ask(effects, fence(1))]).toEqual([absent, fenced]);
  });

  it('held: in progress, until it is over or ruled out', () => {
    const effects = new Effects(false);
    const first = sent(effects, { do: 'hold', effect: 'none' });
    expect(ask(effects, lookup)).toMatchObject({ status: 409, body: { request_sha256: ours } });
    expect(ask(effects, fence(0))).toMatchObject({ status: 409, body: { fenced: true, request_sha256: ours } });
    expect([ask(effects, fence(1)), ask(effects, lookup)]).toEqual([fenced, absent]);
    if (first.do === 'wait') expect(first.answer().status).toBe(412);
    const second = sent(effects, { do: 'hold', effect: 'committed' }, 2);
    expect(ask(effects, fence(2))).toMatchObject({ status: 409 });
    if (second.do === 'wait') second.abandon();
    expect(ask(effects, lookup)).toMatchObject({ status: 200, body: found });
  });
});

describe('what a script says instead', () => {
  it.each<[LookupBehaviour, number, Record<string, unknown>]>([
    [{ do: 'not_found' }, 404, { found: false }],
    [{ do: 'in_progress' }, 409, { request_sha256: asked }],
    [{ do: 'other_request' }, 409, { request_sha256: sha256(asked) }],
    [{ do: 'status', status: 500 }, 500, { error: { type: 'server_error' } }],
  ])('%j', (step, status, members) => {
    const effects = new Effects(false);
    sent(effects, { do: 'answer' });
    expect(ask(effects, lookup, step)).toMatchObject({ status, body: members });
  });

  it('malformed: a 200 that says nothing', () => {
    expect(ask(new Effects(false), lookup, { do: 'malformed' })).toEqual({ status: 200, body: {} });
  });

  it('held: what is true when it is released, and nothing when it is given up', () => {
    const effects = new Effects(false);
    const reaction = reactToQuestion(script({ do: 'hold' }), effects, lookup, 1, asked);
    sent(effects, { do: 'answer' });
    expect(answer(reaction)).toMatchObject({ status: 200, body: found });
    if (reaction.do === 'wait') expect(reaction.abandon().status).toBe(null);
  });

  it('by the number of the look-up', () => {
    const told = [1, 2].map((n) => answer(reactToQuestion(script({ do: 'malformed' }), new Effects(false), lookup, n, asked)));
    expect(told.map(({ status }) => status)).toEqual([200, 404]);
  });

  it('is not offered: 501, and no fence is set', () => {
    const { lookup: _lookup, fence: _fence, ...bare } = script();
    const effects = new Effects(false);
    const status = (question: Question) => answer(reactToQuestion(bare, effects, question, 1, asked)).status;
    expect([status(lookup), status(fence(9)), status(questionOf({ method: 'GET', path: '/keys/', token: null }))]).toEqual([
      501, 501, 404,
    ]);
    expect(effects.isFenced({ key: 'k', token: 1 })).toBe(false);
  });
});
