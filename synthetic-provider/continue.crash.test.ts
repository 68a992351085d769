/**
 * Logs that are continued by a real provider, or refused.
 */
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chat, freshPath, startedProvider } from './testing/provider.js';
import { answer, honour, ignore, sealed } from './testing/sealed.js';

const provider = await startedProvider();

describe('continuing a log', () => {
  it('begins with the same bytes and goes on with the next numbers, keys and effects, the script anew', async () => {
    const first = await provider.open(honour({ do: 'answer', text: 'One.' }, { do: 'drop', when: 'after_commit' }));
    const [one] = [await chat(first.url, 'a'), await chat(first.url, 'b')];
    await sealed(provider, first);
    const copy = freshPath();
    copyFileSync(first.receipts, copy);
    const next = await provider.open(
      honour({ do: 'status', status: 500 }, answer, answer, { do: 'answer', text: 'One.' }),
      copy,
      true,
    );
    expect((await chat(next.url, 'c')).status).toBe(500);
    expect(await chat(next.url, 'a')).toEqual(one);
    expect((await chat(next.url, 'b')).status).toBe(200);
    expect((await chat(next.url, 'c')).status).toBe(200);
    expect(await sealed(provider, next)).toEqual([
      '1 answered 200 effect-1',
      '2 dropped 200 effect-2',
      '3 answered 500 no effect',
      '4 answered 200 effect-1 replayed',
      '5 answered 200 effect-2 replayed',
      '6 answered 200 effect-3',
    ]);
    const before = readFileSync(first.receipts);
    expect(readFileSync(copy).subarray(0, before.length).equals(before)).toBe(true);
  });

  it('is refused, with nothing written, where the log is not there, not whole, still open, or an answer cannot be made again', async () => {
    const opened = await provider.open(honour({ do: 'answer', text: 'One.' }));
    await chat(opened.url, 'a');
    const refusal = async (receipts: string, goesOn = true) => {
      const { status, value } = await provider.control('POST', '', { receipts, script: honour(), continue: goesOn });
      return [status, (value['error'] as { code: string }).code];
    };
    expect(await refusal(opened.receipts)).toEqual([409, 'receipts-busy']);
    await sealed(provider, opened);
    expect(await refusal(opened.receipts)).toEqual([400, 'receipts-damaged']);
    expect(await refusal(opened.receipts, false)).toEqual([409, 'receipts-exist']);
    expect(await refusal(freshPath())).toEqual([400, 'receipts-missing']);
    const torn = freshPath();
    writeFileSync(torn, readFileSync(opened.receipts).subarray(0, -1));
    expect(await refusal(torn)).toEqual([400, 'receipts-damaged']);
    expect(readFileSync(torn).length).toBe(readFileSync(opened.receipts).length - 1);
  });

  it("does not seal another writer's bytes", async () => {
    const opened = await provider.open(ignore());
    await chat(opened.url);
    appendFileSync(opened.receipts, '{}\n');
    expect(await provider.close(opened)).toMatchObject({ status: 500, value: { error: { code: 'receipts-foreign' } } });
  });
});
