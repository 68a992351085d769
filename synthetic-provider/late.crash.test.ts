/**
 * Requests that are on their way, with real clients that are killed: they arrive after a question was settled and before its answer
 * leaves, in a log that goes on, and have what effect the key allows them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Opened, chat, client, freshPath, lines, question, startedProvider } from './testing/provider.js';
import { honour, ignore, sealed } from './testing/sealed.js';

const provider = await startedProvider();
const late = { do: 'delay_arrival' };
const answer = { do: 'answer' };

/** A closed prefix whose one client was killed while its request was on its way. */
async function killedOnTheWay(script: object): Promise<Opened> {
  const opened = await provider.open(script);
  const child = spawn(process.execPath, [client, opened.url, 'a']);
  expect((await provider.held(opened)).value).toEqual({ held: 1 });
  expect(lines(opened.receipts)).toMatchObject([{ kind: 'delayed', delayed: 1, idempotency_key: 'a', peer_pid: child.pid }]);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  expect(await sealed(provider, opened)).toEqual([]);
  return opened;
}

async function goneOn(opened: Opened, script: object): Promise<Opened> {
  const copy = freshPath();
  copyFileSync(opened.receipts, copy);
  return provider.open(script, copy, true);
}

const asking = { lookup: { requests: [], otherwise: { do: 'tell' } }, fence: true, arrivals: { after_questions: 1 } };

describe('a request on its way', () => {
  it('is not answered by a release, has no number, and is nothing but one line when the prefix closes', async () => {
    const opened = await provider.open(ignore(late));
    const reply = chat(opened.url, 'a');
    await provider.held(opened);
    expect((await provider.release(opened)).value).toEqual({ released: 0 });
    expect((await chat(opened.url, 'a')).status).toBe(200);
    expect((await provider.held(opened)).value).toEqual({ held: 1 });
    expect(await sealed(provider, opened)).toEqual(['1 answered 200 effect-1']);
    expect((await reply).status).toBe(null);
    expect(lines(opened.receipts).map(({ kind }) => kind)).toEqual(['delayed', 'received', 'settled']);
  });

  it('arrives after the look-up that did not know of it; a retry is a second effect, or the first answer again', async () => {
    for (const [kind, retried] of [
      [ignore, '3 answered 200 effect-2'],
      [honour, '3 answered 200 effect-1 replayed'],
    ] as const) {
      const opened = await goneOn(await killedOnTheWay(kind(late)), { ...kind(answer), ...asking });
      const look = await question(opened.url, 'a');
      // By now it has arrived: what the answer says was true when the look-up was settled.
      expect([look, lines(opened.receipts).length]).toEqual([{ status: 404, told: { found: false } }, 5]);
      expect((await chat(opened.url, 'a')).status).toBe(200);
      expect(await sealed(provider, opened)).toEqual(['1 answered 404 no effect', '2 gone_while_held 200 effect-1', retried]);
      const [left, , , arrived] = lines(opened.receipts);
      if (left?.kind !== 'delayed' || arrived?.kind !== 'received') throw new Error('The receipts are in another order.');
      const { method, path, headers, idempotency_key, body, body_sha256 } = left;
      expect(arrived).toMatchObject({ method, path, headers, idempotency_key, body, body_sha256, peer_pid: null, delayed: 1 });
    }
  });

  it('is refused where a fence came first', async () => {
    const opened = await goneOn(await killedOnTheWay(ignore(late)), { ...ignore(answer), ...asking });
    expect(await question(opened.url, 'a', 9)).toMatchObject({ status: 200, told: { fenced: true, found: false } });
    expect((await chat(opened.url, 'a', undefined, 10)).status).toBe(200);
    expect(await sealed(provider, opened)).toEqual([
      ...['1 answered 200 no effect', '2 gone_while_held 412 no effect', '3 answered 200 effect-1'],
    ]);
  });

  it('stays on its way through every log that does not let it arrive', async () => {
    const first = await killedOnTheWay(ignore(late));
    const second = await goneOn(first, ignore());
    // It is not held here: its client is of the past.
    const look = provider.held(second);
    await chat(second.url, 'b');
    await sealed(provider, second);
    expect((await look).status).toBe(409);
    const third = await goneOn(second, { ...ignore(), ...asking, arrivals: { after_questions: 2 } });
    await question(third.url, 'a');
    expect(lines(third.receipts).filter(({ kind }) => kind === 'received')).toHaveLength(2);
    await question(third.url, 'b');
    expect(await sealed(provider, third)).toEqual([
      ...['1 answered 200 effect-1', '2 answered 404 no effect', '3 answered 200 no effect', '4 gone_while_held 200 effect-2'],
    ]);
    expect(readFileSync(third.receipts).subarray(0, readFileSync(first.receipts).length)).toEqual(readFileSync(first.receipts));
  });

  it('arrives in the prefix that it was sent to while its client still waits, who gets nothing', async () => {
    const opened = await provider.open({ ...ignore(late), ...asking });
    const reply = chat(opened.url, 'a');
    await provider.held(opened);
    expect((await question(opened.url, 'a')).status).toBe(404);
    expect(await sealed(provider, opened)).toEqual(['1 answered 404 no effect', '2 gone_while_held 200 effect-1']);
    expect((await reply).status).toBe(null);
  });

  it('arrives when the question that lets it is given up', async () => {
    const first = await killedOnTheWay(ignore(late));
    const held = { ...ignore(), ...asking, lookup: { requests: [], otherwise: { do: 'hold' } } };
    const opened = await goneOn(first, held);
    const look = question(opened.url, 'a');
    await provider.held(opened);
    expect(await sealed(provider, opened)).toEqual(['1 held_at_close null no effect', '2 gone_while_held 200 effect-1']);
    expect(await look).toEqual({ status: null, told: null });
  });
});
