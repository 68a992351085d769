/**
 * What no order of requests, questions, releases, departures and interruptions can bring about.
 */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ProviderScript, Receipt } from '../contract/types.js';
import { readContinued } from '../log/continue.js';
import type { Behaviour } from '../script/script.js';
import { type Move, Play, type Send } from '../testing/play.js';
import { fencingToken, isQuestion } from '../wire/keys.js';

const folder = fs.mkdtempSync(join(tmpdir(), 'killpoint-prefix-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
let files = 0;
const fresh = () => join(folder, `${(files += 1)}.jsonl`);

const chat = '/v1/chat/completions';
const raw = { do: 'raw', status: 503, content_type: 'text/html', body: '<p>' } as const;
const steps: Behaviour[] = [
  { do: 'answer' },
  { do: 'answer', text: 'Spoken.' },
  { do: 'answer', tool_calls: [{ id: 'call-1', name: 'pay', arguments: '{}' }] },
  { do: 'hold', effect: 'committed' },
  { do: 'hold', effect: 'none' },
  { do: 'delay', ms: 60_000 },
  { do: 'delay_arrival' },
  { do: 'drop', when: 'before_commit' },
  { do: 'drop', when: 'after_commit' },
  { do: 'cut', after_bytes: 3 },
  { do: 'status', status: 500 },
  { ...raw, effect: 'committed' },
  { ...raw, effect: 'none' },
];
const key = fc.constantFrom('a', 'a', 'a', 'b');
const token = fc.integer({ min: 1, max: 4 });
const body = fc.constantFrom('x', 'x', 'x', 'y').map((text) => JSON.stringify({ model: 'm', messages: [text] }));
const waits = { do: 'hold', effect: 'none' } as const;
const send = fc.record({
  move: fc.constant('send' as const),
  // The first effect has steps of its own, the other one has none.
  path: fc.constantFrom(chat, chat, chat, '/effects/pay', '/effects/pay?x=1', '/effects/mail'),
  key: fc.option(key, { freq: 9 }),
  token: fc.option(token, { freq: 9 }),
  body,
  step: fc.constantFrom<Behaviour>(...steps, waits, waits, { do: 'delay_arrival' }),
});
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: send },
    { weight: 2, arbitrary: fc.record({ move: fc.constant('look' as const), key }) },
    { weight: 2, arbitrary: fc.record({ move: fc.constant('fence' as const), key, token }) },
    { weight: 2, arbitrary: fc.constant<Move>({ move: 'release' }) },
    { weight: 1, arbitrary: fc.constant<Move>({ move: 'leave' }) },
  ),
  { minLength: 2, maxLength: 14, size: 'max' },
);
const honour = fc.constantFrom('honour' as const, 'ignore' as const);
const arrival = fc.integer({ min: 1, max: 3 });

const asks = (move: Move) => move.move === 'look' || move.move === 'fence';

/** The script of some moves. Behind its last step stand the texts and raw answers of all: a continued log needs them again. */
function scriptOf(kind: 'honour' | 'ignore', played: readonly Move[], arriveAfter: number): ProviderScript {
  const sent = played.filter((move): move is Send => move.move === 'send');
  const isPay = ({ path }: Send) => path.startsWith('/effects/pay');
  const list = (own: Send[]) => ({ requests: [...own.map(({ step }) => step), ...steps], otherwise: { do: 'answer' as const } });
  return {
    key: kind,
    ...list(sent.filter((one) => !isPay(one))),
    effects: { pay: list(sent.filter(isPay)) },
    lookup: { requests: [], otherwise: { do: 'tell' } },
    fence: true,
    ...(arriveAfter < 1 ? {} : { arrivals: { after_questions: arriveAfter } }),
  };
}

/** Plays all moves, with a close and a continuation after the first `until` of them if `how` is so; else all who wait go there. */
function played(kind: 'honour' | 'ignore', all: Move[], arriveAfter: number, until = all.length, how = 'closed') {
  const path = fresh();
  const before = all.slice(0, until);
  const after = all.slice(until);
  const first = Play.begin(path, scriptOf(kind, how === 'closed' ? before : all, arriveAfter));
  for (const move of before) first.make(move);
  let last = first;
  if (how === 'closed') {
    first.close();
    last = Play.goOn(path, scriptOf(kind, after, arriveAfter - before.filter(asks).length));
  } else first.make({ move: 'leave' });
  const told = last.seats.length;
  for (const move of after) last.make(move);
  last.close();
  const bytes = fs.readFileSync(path);
  const lines = bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Receipt);
  return {
    lines,
    continued: readContinued(bytes),
    replies: [...first.seats, ...(last === first ? [] : last.seats)].map((seat) => seat.told),
    told,
  };
}

/** What a line says, but for when it was written, and for how a client was lost. */
function essence(line: Receipt): unknown {
  const { at: _at, monotonic_ns: _ns, digest: _digest, ...rest } = line;
  return rest.kind === 'settled' && rest.ended === 'held_at_close' ? { ...rest, ended: 'gone_while_held' } : rest;
}

/** The step that each request took, by its number; what arrived late took none. */
function stepsTaken(lines: readonly Receipt[], all: readonly Move[]): Map<number, Behaviour> {
  const sent = all.filter((move): move is Send => move.move === 'send').map(({ step }) => step);
  const taken = new Map<number, Behaviour>();
  for (const line of lines) {
    if (line.kind === 'delayed') sent.shift();
    else if (line.kind === 'received' && line.delayed === undefined && !isQuestion(line.path)) {
      taken.set(line.request, sent.shift() as Behaviour);
    }
  }
  return taken;
}

describe('over any interleaving', () => {
  it('an honoured key has at most one effect', () => {
    fc.assert(
      fc.property(moves, arrival, fc.nat(14), (all, arriveAfter, until) => {
        const { continued } = played('honour', all, arriveAfter, until);
        const keys = continued.effects.flatMap(({ received }) => received.idempotency_key ?? []);
        expect(keys).toEqual([...new Set(keys)]);
      }),
    );
  });

  it('after a fence nothing up to its token has an effect, and one that found nothing is right for ever', () => {
    let judged = 0;
    fc.assert(
      fc.property(honour, moves, arrival, fc.nat(14), (kind, all, arriveAfter, until) => {
        const { continued, lines, replies } = played(kind, all, arriveAfter, until);
        const taken = stepsTaken(lines, all);
        const asked = all.filter((move) => move.move === 'send' || asks(move));
        const questions = continued.requests.filter(({ received }) => isQuestion(received.path));
        for (const [index, move] of asked.entries()) {
          const question = asks(move) ? questions.shift() : undefined;
          if (move.move !== 'fence' || question === undefined) continue;
          const { seq } = question.settled;
          const foundNothing = replies[index]?.includes('"found":false') === true;
          const late = continued.effects.filter(({ received, settled }) => {
            const step = taken.get(received.request);
            // With an effect at its end: it comes to pass with the settled line, else with the received one.
            const happened = step?.do === 'hold' && step.effect === 'none' ? settled.seq : received.seq;
            const isBelow = (fencingToken(received.headers['fencing-token']) ?? 0) <= move.token;
            return received.idempotency_key === move.key && isBelow && (foundNothing || happened > seq);
          });
          expect(late).toEqual([]);
          judged += 1;
        }
      }),
      { numRuns: 300 },
    );
    expect(judged).toBeGreaterThan(100);
  });

  it('a log that was continued tells the same as one that was not interrupted', () => {
    fc.assert(
      fc.property(honour, moves, arrival, fc.nat(14), (kind, all, arriveAfter, until) => {
        const [one, two] = ['closed', 'left'].map((how) => played(kind, all, arriveAfter, until, how));
        expect(one?.lines.map(essence)).toEqual(two?.lines.map(essence));
        const sent = all.slice(0, until).filter((move) => move.move === 'send' || asks(move)).length;
        expect(one?.replies.slice(sent)).toEqual(two?.replies.slice(sent));
      }),
      { numRuns: 300 },
    );
  });
});
