/**
 * Tools over real HTTP: a model that asks for them, effects with steps of their own, a prefix that refuses broken conversations, and
 * what a log that goes on says again of all of them.
 */
import { copyFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Opened, ask, chat, freshPath, lines, startedProvider } from './testing/provider.js';
import { answer, honour, ignore, sealed } from './testing/sealed.js';

const provider = await startedProvider();
const call = { id: 'call-1', name: 'pay', arguments: '{"to":"ä"}' };
const asks = { do: 'answer', tool_calls: [call] };
const user = { content: 'Do it.', role: 'user' };
const body = (...messages: unknown[]) => JSON.stringify({ messages, model: 'm' });
const effect = ({ url }: Opened, name: string, key?: string) =>
  ask(`${url}/effects/${name}`, { body: '{}', headers: key === undefined ? {} : { 'idempotency-key': key } });
const choice = (text: string) =>
  (JSON.parse(text) as { choices: { message: Record<string, unknown>; finish_reason: string }[] }).choices[0];

async function goneOn(opened: Opened, script: object): Promise<Opened> {
  const copy = freshPath();
  copyFileSync(opened.receipts, copy);
  return provider.open(script, copy, true);
}

describe('a model that asks for tools', () => {
  it('is taken at its word by a strict prefix, turn by turn', async () => {
    const opened = await provider.open({
      ...ignore(asks, { ...asks, text: 'Again.' }, { do: 'answer', text: 'Done.' }),
      strict: true,
    });
    const turns: unknown[] = [user];
    for (const [content, reason] of [
      [null, 'tool_calls'],
      ['Again.', 'tool_calls'],
      ['Done.', 'stop'],
    ]) {
      const reply = await chat(opened.url, undefined, body(...turns));
      const { message = {}, finish_reason } = choice(reply.text) ?? {};
      expect([reply.status, message['content'], finish_reason]).toEqual([200, content, reason]);
      turns.push(message, { role: 'tool', tool_call_id: 'call-1', content: 'Paid.' });
    }
    expect(turns[1]).toEqual({
      ...{ role: 'assistant', content: null },
      tool_calls: [{ id: 'call-1', type: 'function', function: { name: 'pay', arguments: '{"to":"ä"}' } }],
    });
    expect(await sealed(provider, opened)).toEqual([1, 2, 3].map((n) => `${n} answered 200 effect-${n}`));
  });
});

describe('effects with steps of their own', () => {
  it('are numbered by name, and answer with the scripted text as their whole body', async () => {
    const effects = {
      pay: {
        requests: [
          { do: 'status', status: 503 },
          { do: 'answer', text: 'Paid: 5 €.' },
        ],
        otherwise: { do: 'drop', when: 'after_commit' },
      },
      mail: { requests: [], otherwise: { do: 'raw', status: 500, content_type: 'text/html', body: '<p>', effect: 'committed' } },
    };
    const opened = await provider.open({ ...ignore({ do: 'answer', text: 'One.' }, { do: 'answer', text: 'Two.' }), effects });
    const replies = [
      await effect(opened, 'pay'),
      await chat(opened.url),
      await effect(opened, 'pay?to=x'),
      await effect(opened, 'mail'),
      await effect(opened, 'other'),
      await effect(opened, 'pay'),
      await chat(opened.url),
    ];
    expect(replies.map(({ status, contentType }) => `${status} ${contentType}`)).toEqual([
      ...['503 application/json', '200 application/json', '200 text/plain;charset=utf-8', '500 text/html'],
      ...['200 text/plain;charset=utf-8', 'null null', '200 application/json'],
    ]);
    expect([2, 4].map((at) => replies[at]?.text)).toEqual(['Paid: 5 €.', 'Two.']);
    expect(choice(replies[1]?.text ?? '')?.message['content']).toBe('One.');
    expect(choice(replies[6]?.text ?? '')?.message['content']).toContain('effect-6');
    await sealed(provider, opened);
    const names = lines(opened.receipts).flatMap((line) => (line.kind === 'settled' ? [line.effect?.name ?? null] : []));
    expect(names).toEqual([null, 'chat.completions', 'pay', 'mail', 'other', 'pay', 'chat.completions']);
  });

  it('let a request be on its way, which arrives without a step', async () => {
    const script = { ...ignore(), lookup: { requests: [], otherwise: { do: 'tell' } }, arrivals: { after_questions: 1 } };
    const opened = await provider.open({
      ...script,
      effects: { pay: { requests: [{ do: 'delay_arrival' }], otherwise: { do: 'answer', text: 'Paid.' } } },
    });
    const late = effect(opened, 'pay', 'a');
    expect((await provider.held(opened)).value).toEqual({ held: 1 });
    await ask(`${opened.url}/keys/a`, { method: 'GET' });
    expect((await effect(opened, 'pay', 'b')).text).toBe('Paid.');
    expect(await sealed(provider, opened)).toEqual([
      ...['1 answered 404 no effect', '2 gone_while_held 200 effect-1', '3 answered 200 effect-2'],
    ]);
    expect((await late).status).toBe(null);
  });
});

describe('a strict prefix', () => {
  it('refuses a broken conversation with 400, with receipts, a step and no effect, whatever else would be done with it', async () => {
    const opened = await provider.open({
      ...honour({ do: 'status', status: 503 }, answer, { do: 'drop', when: 'after_commit' }),
      strict: true,
    });
    const open = body(user, {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'pay', arguments: '' } }],
    });
    const refused = await chat(opened.url, 'a', open);
    const message = 'messages[1]: Each tool call must have its result in the tool messages directly after its message.';
    expect([refused.status, JSON.parse(refused.text)]).toEqual([400, { error: { message, type: 'invalid_request_error' } }]);
    expect((await chat(opened.url, 'a', body(user))).status).toBe(200);
    // The key has its answer, of another body: that would be 422.
    expect((await chat(opened.url, 'a', open)).status).toBe(400);
    expect((await chat(opened.url, 'a', body(user))).status).toBe(200);
    expect(await sealed(provider, opened)).toEqual([
      ...['1 answered 400 no effect', '2 answered 200 effect-1', '3 answered 400 no effect', '4 answered 200 effect-1 replayed'],
    ]);
  });

  it.each<[string, string]>([
    ['messages nested deeper than the stack', `{"model":"m","messages":[${'['.repeat(200_000)}${']'.repeat(200_000)}]}`],
    [
      'a content nested deeper than the stack',
      `{"model":"m","messages":[{"role":"user","content":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`,
    ],
    [
      'calls that are no list',
      `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":{"length":1}}]}`,
    ],
    ['half a pair as a role', '{"model":"m","messages":[{"role":"\\ud800","content":"x"}]}'],
    [
      'half a pair as the id of a result',
      '{"model":"m","messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"\\ud800","content":""}]}',
    ],
    ['a million messages', `{"model":"m","messages":[{"role":"user","content":"x"}${',7'.repeat(1_000_000)}]}`],
    ['a million parts', `{"model":"m","messages":[{"role":"user","content":[{"type":"x"}${',{}'.repeat(1_000_000)}]}]}`],
  ])('refuses %s, and serves the next request', async (_what, hostile) => {
    const opened = await provider.open({ ...ignore(), strict: true });
    expect((await chat(opened.url, 'a', hostile)).status).toBe(400);
    expect((await chat(opened.url, 'a', body(user))).status).toBe(200);
    expect(await sealed(provider, opened)).toEqual(['1 answered 400 no effect', '2 answered 200 effect-1']);
  });

  it('is offered, and names and steps of effects, only as they can be', async () => {
    const effects = { 'a/b': { requests: [], otherwise: answer }, pay: { requests: [asks], otherwise: answer } };
    const opening = { receipts: freshPath(), script: { ...ignore(), strict: true, effects }, continue: false };
    const { status, value } = await provider.control('POST', '', opening);
    expect([status, (value['error'] as { mistakes: string[] }).mistakes]).toEqual([
      400,
      [
        '/script/effects/a~1b: must be letters, digits, ".", "_" and "-", 128 at most, the first a letter or a digit.',
        '/script/effects/pay/requests/0/tool_calls: must not be there, as an effect asks for no tools.',
      ],
    ]);
  });
});

describe('a log that goes on', () => {
  const steps = (pay: object) => ({
    ...honour(asks, { do: 'answer', text: 'Ok.' }),
    effects: { pay: { requests: [], otherwise: pay } },
  });

  it('says again, byte for byte, what tools were asked for and what effects answered, each by its own steps', async () => {
    const first = await provider.open(steps({ do: 'answer', text: 'Ok.' }));
    const send = async (to: Opened) => [
      await chat(to.url, 'a', body(user)),
      await effect(to, 'mail', 'b'),
      await effect(to, 'pay', 'c'),
    ];
    const before = await send(first);
    await sealed(provider, first);
    const raw = { do: 'raw', status: 200, content_type: null, body: 'Ok.', effect: 'committed' };
    const next = await goneOn(first, { ...steps({ do: 'answer', text: 'Ok.' }), ...{ requests: [raw, asks], strict: true } });
    const [asked, mailed, paid] = await send(next);
    // Of two steps that say the same the effect's own counts; the other effect has none, so it is the first of the prefix.
    expect([asked, paid, { ...mailed, contentType: null }]).toEqual([before[0], before[2], { ...before[1], contentType: null }]);
    expect([mailed?.contentType, paid?.contentType]).toEqual([null, 'text/plain;charset=utf-8']);
    expect((await sealed(provider, next)).slice(3)).toEqual([
      ...['4 answered 200 effect-1 replayed', '5 answered 200 effect-2 replayed', '6 answered 200 effect-3 replayed'],
    ]);
  });

  it('is refused where the script does not say them again', async () => {
    const first = await provider.open(steps({ do: 'answer', text: 'Paid.' }));
    await chat(first.url, 'a', body(user));
    await effect(first, 'pay', 'c');
    await sealed(provider, first);
    const refusal = async (script: object) => {
      const { status, value } = await provider.control('POST', '', { receipts: first.receipts, script, continue: true });
      return [status, (value['error'] as { message: string } | undefined)?.message];
    };
    const told = (n: number) => [400, expect.stringContaining(`effect-${n} cannot be made again`)];
    expect(await refusal(steps(answer))).toEqual(told(2));
    expect(await refusal({ ...steps({ do: 'answer', text: 'Paid.' }), requests: [] })).toEqual(told(1));
    expect((await refusal(steps({ do: 'answer', text: 'Paid.' })))[0]).toBe(201);
  });

  it('numbers the steps of an effect anew', async () => {
    const script = { ...ignore(), effects: { pay: { requests: [{ do: 'status', status: 503 }], otherwise: answer } } };
    const first = await provider.open(script);
    expect([(await effect(first, 'pay')).status, (await effect(first, 'pay')).status]).toEqual([503, 200]);
    await sealed(provider, first);
    const next = await goneOn(first, script);
    expect([(await effect(next, 'pay')).status, (await effect(next, 'pay')).status]).toEqual([503, 200]);
    expect((await sealed(provider, next)).slice(2)).toEqual(['3 answered 503 no effect', '4 answered 200 effect-2']);
  });
});
