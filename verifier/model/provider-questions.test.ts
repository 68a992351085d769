import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { textSha256 } from '../read/hash.js';
import type { Settled } from '../read/receipts.js';
import { Told } from '../testing/told.js';

type Step = ProviderScript['otherwise'];

const answer: Step = { do: 'answer' };
const effect = (number: number, replayed = false) => ({ effect_id: `effect-${number}`, name: 'chat.completions', replayed });
type Lookup = NonNullable<ProviderScript['lookup']>;
const own = { effect: effect(1) };
const lookup = (...requests: Lookup['requests']): Lookup => ({ requests, otherwise: { do: 'tell' } });
const holds = (kind: 'committed' | 'none'): Partial<ProviderScript> => ({ requests: [{ do: 'hold', effect: kind }] });

describe('a look-up', () => {
  it.each<[string, Told, Partial<ProviderScript>, number]>([
    ['is not offered', new Told().serve(own).look(501), {}, 501],
    ['finds nothing', new Told().look(404), { lookup: lookup() }, 404],
    ['finds what was served', new Told().serve(own).look(200), { lookup: lookup() }, 200],
    [
      'finds what was cut',
      new Told().serve({ ...own, ended: 'reset' }).look(200),
      { requests: [{ do: 'cut', after_bytes: 1 }], lookup: lookup() },
      200,
    ],
    [
      'does not find what was dropped before',
      new Told().serve({ ended: 'dropped', status: null }).look(404),
      { requests: [{ do: 'drop', when: 'before_commit' }], lookup: lookup() },
      404,
    ],
    [
      'does not know what is on its way',
      new Told().delay().look(404),
      { requests: [{ do: 'delay_arrival' }], lookup: lookup() },
      404,
    ],
    ['lags', new Told().serve(own).look(404), { lookup: lookup({ do: 'not_found' }) }, 404],
    ['fails', new Told().serve(own).look(500), { lookup: lookup({ do: 'status', status: 500 }) }, 500],
    ['speaks of another request', new Told().serve(own).look(409), { lookup: lookup({ do: 'other_request' }) }, 409],
    ['says nothing', new Told().serve(own).look(200), { lookup: lookup({ do: 'malformed' }) }, 200],
  ])('%s', (_what, told, by, status) => {
    expect(told.departing(by)).toEqual([]);
    const last = told.lines.at(-1) as Settled;
    last.status = status === 200 ? 404 : 200;
    const { digest: _digest, ...rest } = last;
    last.digest = textSha256(canonical(rest));
    expect(told.departing(by)).toEqual([`${last.seq}: The status is ${last.status}; by its script it is ${status}.`]);
  });

  it('finds a request in progress while it is held, and its effect when it is over', () => {
    const told = new Told();
    const held = told.receive();
    told
      .look(409)
      .settle(held, { ...own, ended: 'gone_while_held' })
      .look(200);
    expect(told.departing({ ...holds('committed'), lookup: lookup() })).toEqual([]);
  });

  it('that is held is told what is true at its end', () => {
    const told = new Told();
    told.look(null, { ended: 'held_at_close' });
    expect(told.departing({ lookup: lookup({ do: 'hold' }) })).toEqual([]);
  });

  it('has no effect, and is numbered among look-ups alone', () => {
    const by = { fence: true, lookup: lookup({ do: 'not_found' }), requests: [answer, { do: 'status', status: 503 } as const] };
    expect(new Told().serve(own).fence(1).look(404).look(200).serve({ status: 503 }).departing(by)).toEqual([]);
    expect(new Told().look(404, own).departing(by)).toEqual(['2: The request had an effect that its script does not give it.']);
  });
});

describe('a fence', () => {
  const by: Partial<ProviderScript> = { fence: true };

  it('refuses from then on what is not above it', () => {
    const told = new Told().fence(5).serve({ status: 412 }, 5).serve({ status: 412 }).serve(own, 6);
    expect(told.departing(by)).toEqual([]);
    expect(new Told().fence(5).serve(own, 5).departing(by)).toEqual(['4: The status is 200; by its script it is 412.']);
    expect(new Told().fence(5).serve({ status: 412 }, 6).departing(by)).toEqual([
      '4: The status is 412; by its script it is 200.',
    ]);
  });

  it('is never lowered, and holds in a log that continues', () => {
    const told = new Told().fence(5).fence(3).serve({ status: 412 }, 4);
    expect(told.departing(by, 4)).toEqual([]);
    expect(told.departing({}, 4)).toEqual([]);
  });

  it('that is not offered holds nothing back', () => {
    expect(new Told().fence(5, 501).serve(own, 5).departing({})).toEqual([]);
  });

  it('ends what waits without an effect, and not what had one', () => {
    const waiting = new Told();
    const held = waiting.receive(5);
    waiting.fence(5).settle(held, { status: 412, ended: 'gone_while_held' });
    expect(waiting.departing({ ...by, ...holds('none') })).toEqual([]);
    const committed = new Told();
    const served = committed.receive(5);
    committed.fence(5, 409).settle(served, { ...own, ended: 'gone_while_held' });
    expect(committed.departing({ ...by, ...holds('committed') })).toEqual([]);
    expect(committed.departing({ ...by, ...holds('none') })).toHaveLength(2);
  });

  it('leaves to answer what answers without having looked at the key', () => {
    const requests = [{ do: 'status', status: 503 } as const];
    expect(
      new Told()
        .fence(5)
        .serve({ status: 503 }, 5)
        .departing({ ...by, requests }),
    ).toEqual([]);
  });
});

describe('what an answer says', () => {
  const given = Buffer.from('{"choices":[]}');
  const ours = 'a'.repeat(64);
  const response = { status: 200, content_type: 'application/json', body: { data: given.toString('utf8'), encoding: 'utf8' } };
  const told = (by: Partial<ProviderScript>, status: number, body: object, isServed = true): string[] => {
    const text = canonical(body as never);
    const log = isServed ? new Told().serve({ ...own, response_sha256: textSha256(given.toString('utf8')) }) : new Told();
    const hash = { response_sha256: textSha256(text) };
    if (by.fence === true) log.fence(5, status, { 'request-sha256': log.bodySha256 }, hash);
    else log.look(status, hash, { 'request-sha256': log.bodySha256 });
    return log.departing(by, 0, new Map([[textSha256(text), Buffer.from(text)]])).map((line) => line.replace(/^\d+: /, ''));
  };
  const found = (members: object = {}): object => {
    const request_sha256 = new Told().bodySha256;
    return { fenced: false, found: true, request_sha256, response, ...members };
  };
  const reads = (as: string, wanted: string): string[] => [`The answer reads as ${as}; by its script it is ${wanted}.`];

  it('is the response that was sent', () => {
    expect(told({ lookup: lookup() }, 200, found())).toEqual([]);
    expect(told({ lookup: lookup() }, 200, found({ response: null }))).toEqual(reads('found_without_response', 'found'));
    const other = { ...response, body: { data: '{}', encoding: 'utf8' } };
    expect(told({ lookup: lookup() }, 200, found({ response: other }))).toEqual([
      'The answer tells of another response than the one that was sent.',
    ]);
    expect(told({ lookup: lookup() }, 200, found({ request_sha256: ours }))).toEqual(reads('other_request', 'found'));
    expect(told({ lookup: lookup({ do: 'without_response' }) }, 200, found())).toEqual(reads('found', 'found_without_response'));
  });

  it('is what the script has it say', () => {
    const conflict = (hash: string): object => ({ error: 'conflict', request_sha256: hash });
    const { bodySha256: same } = new Told();
    expect(told({ lookup: lookup({ do: 'in_progress' }) }, 409, conflict(same))).toEqual([]);
    expect(told({ lookup: lookup({ do: 'other_request' }) }, 409, conflict(same))).toEqual(reads('in_progress', 'other_request'));
    expect(told({ lookup: lookup({ do: 'not_found' }) }, 404, { found: true })).toEqual(reads('malformed', 'not_found'));
    expect(told({ lookup: lookup({ do: 'malformed' }) }, 200, found())).toEqual(reads('found', 'malformed'));
    expect(told({ lookup: lookup({ do: 'status', status: 500 }) }, 500, {})).toEqual([]);
  });

  it('is to a fence the truth', () => {
    const fenced = { fenced: true, found: false, request_sha256: null, response: null };
    expect(told({ fence: true }, 200, fenced, false)).toEqual([]);
    expect(told({ fence: true }, 200, { ...fenced, fenced: false }, false)).toEqual(reads('not_found', 'fenced'));
    expect(told({ fence: true }, 200, fenced)).toEqual(reads('fenced', 'found'));
  });
});

describe('a request on its way', () => {
  const by: Partial<ProviderScript> = { fence: true, lookup: lookup(), requests: [{ do: 'delay_arrival' }] };
  const arrivals = { after_questions: 1 };

  it('stays there until its script lets it arrive', () => {
    expect(new Told().delay().look(404).departing(by)).toEqual([]);
    expect(
      new Told()
        .delay()
        .look(404)
        .departing({ ...by, arrivals }),
    ).toEqual(['1: The request is still on its way; by its script it has arrived.']);
    expect(new Told().delay().departing({})).toEqual(['1: The request was sent on its way; by its script it arrives.']);
    expect(new Told().serve(own).departing(by)).toEqual(['1: The request arrived; by its script it is sent on its way.']);
  });

  it('arrives right after the question, and is served to nobody', () => {
    const told = new Told().delay().look(404).arrive(1, own);
    expect(told.departing({ ...by, arrivals })).toEqual([]);
    expect(told.departing({ ...by, arrivals: { after_questions: 2 } })).toEqual([
      '4: A request that was on its way arrived at another moment than its script says.',
    ]);
    expect(
      new Told()
        .delay()
        .look(404)
        .arrive(1, { ...own, ended: 'answered' })
        .departing({ ...by, arrivals }),
    ).toHaveLength(1);
  });

  it('arrives after the question that its script names by number, whichever is settled first', () => {
    const holding: Partial<ProviderScript> = { ...by, lookup: lookup({ do: 'hold' }) };
    const second = new Told().delay();
    const held = second.ask();
    second.look(404).arrive(1, own).settle(held, { status: null, ended: 'held_at_close' });
    expect(second.departing({ ...holding, arrivals: { after_questions: 2 } })).toEqual([]);
    expect(second.departing({ ...holding, arrivals })).toEqual([
      '5: A request that was on its way arrived at another moment than its script says.',
    ]);
    const first = new Told().delay();
    const given = first.ask();
    first.look(404).settle(given, { status: null, ended: 'held_at_close' }).arrive(1, own);
    expect(first.departing({ ...holding, arrivals })).toEqual([]);
    expect(first.departing({ ...holding, arrivals: { after_questions: 2 } })).toEqual([
      '6: A request that was on its way arrived at another moment than its script says.',
    ]);
  });

  it('arrives before anything else follows, and all of it at once', () => {
    const requests: Step[] = [{ do: 'delay_arrival' }, { do: 'delay_arrival' }];
    const both = new Told()
      .delay()
      .delay()
      .look(404)
      .arrive(1, own)
      .arrive(2, { effect: effect(2) });
    expect(both.departing({ ...by, requests, arrivals })).toEqual([]);
    const late = new Told()
      .delay()
      .look(404)
      .serve(own)
      .arrive(1, { effect: effect(2) });
    expect(late.departing({ ...by, arrivals })).toEqual([
      '6: A request that was on its way arrived at another moment than its script says.',
    ]);
  });

  it('is refused by a fence, and takes no step when it arrives', () => {
    const told = new Told().delay(5).fence(5).arrive(1, { status: 412 }, 5).serve(own, 6);
    expect(told.departing({ ...by, arrivals })).toEqual([]);
    expect(told.departing({ fence: true, arrivals }, 1)).toEqual([]);
  });

  it('is the first answer again where the key is honoured and has it', () => {
    const told = new Told()
      .delay()
      .serve(own)
      .look(200)
      .arrive(1, { effect: effect(1, true) });
    expect(told.departing({ ...by, arrivals, key: 'honour' })).toEqual([]);
    const twice = new Told()
      .delay()
      .serve(own)
      .look(200)
      .arrive(1, { effect: effect(2) });
    expect(twice.departing({ ...by, arrivals, key: 'honour' })).toHaveLength(1);
    expect(twice.departing({ ...by, arrivals })).toEqual([]);
  });
});

it('an answer as it stands is given again with its own status', () => {
  const step: Step = { do: 'raw', status: 404, content_type: null, body: '', effect: 'committed' };
  const told = new Told().serve({ ...own, status: 404 }).serve({ status: 404, effect: effect(1, true) });
  expect(told.departing({ key: 'honour', requests: [step] })).toEqual([]);
});
