import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import { readContinued } from './continue.js';
import { rebuiltEffects } from './rebuild.js';
import { arrived, delayed, fence, line, log, received, settled } from '../testing/log.js';
import type { Line } from './receipts.js';
import { json } from '../script/react.js';
import { chatAnswer } from '../wire/chat-completions.js';

const body = '{"messages":[{}],"model":"m"}';
const first = chatAnswer('effect-1', 'm', Buffer.from(body));
const good = log(
  received(1, 'a'),
  settled(1, 1, { bytes: first }),
  received(2, 'a'),
  settled(2, 1, { replayed: true }),
  received(3),
  settled(3, 2),
);
const script = (key: 'honour' | 'ignore', text?: string): ProviderScript => ({
  key,
  requests: text === undefined ? [] : [{ do: 'answer', text }],
  otherwise: { do: 'answer' },
});

describe('a log that may be continued', () => {
  it('gives the numbers to go on from, and what was served', () => {
    expect(readContinued(good)).toMatchObject({ lines: 6, delayed: 0, onTheirWay: [], bytes: good });
    expect(readContinued(good).requests).toHaveLength(3);
    expect(readContinued(good).effects.map((one) => one.settled.effect.effect_id)).toEqual(['effect-1', 'effect-2']);
  });

  it('may be empty', () => {
    expect(readContinued(Buffer.alloc(0))).toMatchObject({ lines: 0, requests: [], effects: [], onTheirWay: [] });
  });

  it('may settle in another order than it received', () => {
    expect(readContinued(log(received(1), received(2), settled(2, 2), settled(1, 1))).effects).toHaveLength(2);
  });
});

describe('what is on its way', () => {
  const way = log(
    delayed(1, 'a', { token: 3 }),
    received(1),
    settled(1, 1),
    delayed(2),
    arrived(2, 1, 'a', { token: 3 }),
    settled(2, 2),
  );

  it('stays so until it arrives', () => {
    const { requests, onTheirWay, delayed: count } = readContinued(way);
    expect([requests.length, count]).toEqual([2, 2]);
    expect(onTheirWay).toMatchObject([{ delayed: 2, recorded: { idempotency_key: null, path: '/v1/chat/completions' } }]);
  });

  it.each<[string, Buffer]>([
    ['with a gap', log(delayed(2))],
    ['that arrives without having left', log(arrived(1, 1), settled(1, null))],
    ['that arrives twice', log(delayed(1), arrived(1, 1), settled(1, null), arrived(2, 1), settled(2, null))],
    ['with another key than it left with', log(delayed(1, 'a'), arrived(1, 1, 'b'), settled(1, null))],
    [
      'with another token than it left with',
      log(delayed(1, 'a', { token: 1 }), arrived(1, 1, 'a', { token: 2 }), settled(1, null)),
    ],
    ['with a peer', log(delayed(1), { ...arrived(1, 1), peer_pid: 1 } as Line, settled(1, null))],
    ['with another body than its hash', Buffer.from(line(1, { ...delayed(1), body_sha256: '0'.repeat(64) }))],
  ])('is damaged %s', (_what, bytes) => {
    expect(() => readContinued(bytes)).toThrow(expect.objectContaining({ code: 'receipts-damaged' }) as Error);
  });
});

describe('a log that may not', () => {
  const damage: [string, Buffer][] = [
    ['torn', good.subarray(0, -1)],
    ['not UTF-8', Buffer.concat([good, Buffer.from([0xff, 0x0a])])],
    ['with a byte order mark', Buffer.concat([Buffer.from('\ufeff'), good])],
    ['with an empty line', Buffer.concat([good, Buffer.from('\n')])],
    ['with CRLF', Buffer.from(good.toString().replaceAll('\n', '\r\n'))],
    ['not canonical', Buffer.from(good.toString().replace('{"at"', '{ "at"'))],
    ['with a repeated name', Buffer.from(good.toString().replace('{"at"', '{"at":"2026-01-01T00:00:00.000Z","at"'))],
    ['with an altered digest', Buffer.from(good.toString().replace(/"digest":"./, '"digest":"x'))],
    ['with an altered word', Buffer.from(good.toString().replace('"status":200', '"status":201'))],
    ['with an unknown member', Buffer.from(line(1, { ...received(1), extra: 1 }))],
    ['with a first line missing', good.subarray(good.indexOf('\n') + 1)],
    ['with a line twice', Buffer.concat([good, good.subarray(0, good.indexOf('\n') + 1)])],
    ['with a gap in seq', Buffer.from(line(1, received(1)) + line(3, settled(1, null)))],
    ['with a gap in requests', log(received(2), settled(2, null))],
    ['with a request open', log(received(1), settled(1, null), received(2))],
    ['settled twice', log(received(1), settled(1, null), settled(1, null))],
    ['settled before it was received', log(settled(1, null), received(1))],
    ['with a gap in effects', log(received(1), settled(1, 2))],
    ['with an effect twice', log(received(1), received(2), settled(1, 1), settled(2, 1))],
    ['with a replay of nothing', log(received(1), settled(1, 1, { replayed: true }))],
    [
      'with another body than its hash',
      Buffer.from(line(1, { ...received(1), body_sha256: '0'.repeat(64) }) + line(2, settled(1, null))),
    ],
  ];
  it.each(damage)('%s', (_what, bytes) => {
    expect(() => readContinued(bytes)).toThrow(expect.objectContaining({ code: 'receipts-damaged' }) as Error);
  });

  it('is any cut of a good one but those between closed requests', () => {
    const whole = [0, ...[2, 4, 6].map((count) => good.toString().split('\n').slice(0, count).join('\n').length + 1)];
    const outcome = (cut: number) => {
      try {
        return readContinued(good.subarray(0, cut)).lines;
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    const cuts = Array.from({ length: good.length + 1 }, (_, cut) => cut);
    expect(new Set(cuts.map(outcome))).toEqual(new Set([0, 2, 4, 6, 'receipts-damaged']));
    const accepted = cuts.filter((cut) => typeof outcome(cut) === 'number');
    expect(accepted).toEqual(whole);
  });
});

describe('keys of a continued log', () => {
  const hash = readContinued(good).effects[0]?.received.body_sha256 ?? '';
  const claim = { key: 'a', token: null, name: 'chat.completions', body_sha256: hash };

  it('replay the first answer, byte for byte', () => {
    const admission = rebuiltEffects(script('honour'), readContinued(good)).admit(claim);
    expect(admission).toMatchObject({
      kind: 'replay',
      answer: { bytes: first, effect: { effect_id: 'effect-1', replayed: true } },
    });
  });

  it('are forgotten by a prefix that ignores keys, numbers are not', () => {
    const effects = rebuiltEffects(script('ignore'), readContinued(good));
    expect(effects.admit(claim)).toEqual({ kind: 'fresh' });
    expect(effects.commit(effects.begin(claim), () => json(200, first)).effect.effect_id).toBe('effect-3');
  });

  it('need the scripted text of the first answer', () => {
    const spoken = chatAnswer('effect-1', 'm', Buffer.from(body), { text: 'Spoken.' });
    const continued = readContinued(log(received(1, 'a'), settled(1, 1, { bytes: spoken })));
    expect(rebuiltEffects(script('honour', 'Spoken.'), continued).admit(claim)).toMatchObject({
      kind: 'replay',
      answer: { bytes: spoken },
    });
    expect(() => rebuiltEffects(script('honour', 'Other.'), continued)).toThrow(/effect-1 cannot be made again/);
    expect(rebuiltEffects(script('ignore'), continued).admit(claim)).toEqual({ kind: 'fresh' });
  });

  it('of a log that ignored them: the first effect stands', () => {
    const second = chatAnswer('effect-2', 'm', Buffer.from(body));
    const lines = [received(1, 'a'), received(2, 'a'), settled(2, 2, { bytes: second }), settled(1, 1, { bytes: first })];
    expect(rebuiltEffects(script('honour'), readContinued(log(...lines))).admit(claim)).toMatchObject({
      answer: { bytes: first },
    });
  });
});

describe('what tools and effects were answered', () => {
  const call = { id: 'call-1', name: 'pay', arguments: '{"to":' };
  const asked = chatAnswer('effect-1', 'm', Buffer.from(body), { tool_calls: [call] });
  const paid = Buffer.from('Ok.');
  const mailed = Buffer.from('{"effect_id":"effect-3","name":"mail"}');
  const at = (path: string) => ({ path, body: '{"arguments":"{}","tool":"x"}' });
  const continued = readContinued(
    log(
      ...[received(1, 'a'), settled(1, 1, { bytes: asked })],
      ...[received(2, 'b', at('/effects/pay?x=present')), settled(2, 2, { bytes: paid, name: 'pay' })],
      ...[received(3, 'c', at('/effects/mail')), settled(3, 3, { bytes: mailed, name: 'mail' })],
    ),
  );
  const told = (next: ProviderScript) => {
    const effects = rebuiltEffects(next, continued);
    return ['a', 'b', 'c'].map((key) => {
      const one = effects.tell(key);
      return one.kind === 'found' ? `${one.answer.content_type} ${one.answer.bytes.toString()}` : one.kind;
    });
  };
  const asks = { do: 'answer', tool_calls: [call] } satisfies ProviderScript['otherwise'];
  const ok = { do: 'raw', status: 200, content_type: 'text/html', body: 'Ok.', effect: 'committed' } as const;
  const pay = { requests: [{ do: 'status', status: 500 }], otherwise: { do: 'answer', text: 'Ok.' } } satisfies NonNullable<
    ProviderScript['effects']
  >[string];
  const next: ProviderScript = { key: 'honour', requests: [ok, asks], otherwise: { do: 'answer' }, effects: { pay } };
  const json = 'application/json';

  it('is given again, an effect by the steps of its own name first', () => {
    expect(told(next)).toEqual([`${json} ${asked.toString()}`, 'text/plain;charset=utf-8 Ok.', `${json} ${mailed.toString()}`]);
    expect(told({ ...next, strict: true })).toEqual(told(next));
    expect(told({ ...next, effects: { mail: pay } })[1]).toBe('text/html Ok.');
    expect(told({ ...next, requests: [asks], effects: { mail: pay } })[1]).toBe('text/plain;charset=utf-8 Ok.');
  });

  it.each<[string, Partial<ProviderScript>]>([
    ['no calls', { requests: [ok] }],
    ['other arguments', { requests: [{ ...asks, tool_calls: [{ ...call, arguments: '{}' }] }] }],
    ['a text beside the calls', { requests: [{ ...asks, text: '' }] }],
    ['the calls twice', { requests: [{ ...asks, tool_calls: [call, call] }] }],
  ])('cannot be given by a script with %s', (_what, change) => {
    expect(() => rebuiltEffects({ ...next, ...change }, continued)).toThrow(/effect-1 cannot be made again/);
  });

  it('cannot be given by a script without the text of an effect', () => {
    expect(() => rebuiltEffects({ ...next, requests: [asks], effects: {} }, continued)).toThrow(/effect-2 cannot be made again/);
  });
});

describe('fences and look-ups of a continued log', () => {
  const asking = { ...script('ignore'), lookup: { requests: [], otherwise: { do: 'tell' } } } as const satisfies ProviderScript;
  const second = chatAnswer('effect-2', 'm', Buffer.from(body));

  it.each<[string, ProviderScript]>([
    ['offers them', { ...asking, fence: true }],
    ['offers none', script('ignore')],
  ])('fences that were answered stay in force, in a script that %s', (_what, next) => {
    const lines = [
      ...[fence(1, 'found', 3), settled(1, null), fence(2, 'open', 4), settled(2, null, { status: 409 })],
      ...[fence(3, 'unknown', 5), settled(3, null, { status: 501 })],
    ];
    const effects = rebuiltEffects(next, readContinued(log(...lines)));
    const isFenced = (key: string, token: number) => effects.isFenced({ key, token });
    expect([isFenced('found', 3), isFenced('found', 4), isFenced('open', 4), isFenced('unknown', 1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('tell of the last request that was served', () => {
    const lines = [received(1, 'a'), settled(1, 1, { bytes: first }), received(2, 'a'), settled(2, 2, { bytes: second })];
    const refused = [received(3, 'a'), settled(3, null, { status: 503 })];
    const effects = rebuiltEffects(asking, readContinued(log(...lines, ...refused)));
    expect(effects.tell('a')).toMatchObject({ kind: 'found', answer: { bytes: second, effect: { effect_id: 'effect-2' } } });
    const honoured = rebuiltEffects({ ...asking, key: 'honour' }, readContinued(log(...lines, ...refused)));
    expect(honoured.tell('a')).toMatchObject({ kind: 'found', answer: { bytes: second } });
  });

  it('need its text or its raw answer, and that of no other', () => {
    const bytes = Buffer.from('<p>');
    const lines = [
      received(1, 'a'),
      settled(1, 1, { bytes: Buffer.from('gone') }),
      received(2, 'a'),
      settled(2, 2, { bytes, status: 502 }),
    ];
    const continued = readContinued(log(...lines));
    const raw = { do: 'raw', status: 502, content_type: 'text/html', body: '<p>', effect: 'committed' } as const;
    expect(rebuiltEffects({ ...asking, requests: [raw] }, continued).tell('a')).toMatchObject({
      kind: 'found',
      answer: { status: 502, content_type: 'text/html', bytes },
    });
    for (const wrong of [
      { ...raw, status: 503 },
      { ...raw, body: '<p></p>' },
      { ...raw, effect: 'none' as const },
    ]) {
      expect(() => rebuiltEffects({ ...asking, requests: [wrong] }, continued)).toThrow(/effect-2 cannot be made again/);
    }
  });
});
