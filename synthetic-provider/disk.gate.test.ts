/**
 * A disk that fails under a real provider, one call at a time: each write and each sync of its receipts, once and from then on. A receipt that
 * could not be made durable means that the request is not served, though a later sync may say that all is well.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { available } from './testing/mechanism.js';
import { ProviderProcess, type Opened, chat, folder, freshPath } from './testing/provider.js';

const traceable = available('strace', spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0);
const answers = { key: 'ignore', requests: [], otherwise: { do: 'answer' } };

afterAll(() => rmSync(folder, { recursive: true }));

/** The provider and a fresh log of it, of whose calls the nth of a name fails. */
async function failing(name: string, how: string): Promise<{ provider: ProviderProcess; receipts: string }> {
  const receipts = freshPath();
  // Counted are the calls on the log and on its folder, whose entry is synced when the log is made.
  const counted = ['-P', receipts, '-P', folder];
  const inject = ['-e', `trace=${name}`, '-e', `inject=${name}:${how}`];
  const provider = await ProviderProcess.start((argv) => [
    'strace',
    '-D',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    ...counted,
    ...inject,
    ...argv,
  ]);
  return { provider, receipts };
}

async function asked({ url }: Opened, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let request = 0; request < count; request++) statuses.push((await chat(url)).status ?? 0);
  return statuses;
}

const settled = (receipts: string): number => readFileSync(receipts, 'utf8').match(/"kind":"settled".*\n/g)?.length ?? 0;
const faults = (count: number): [string, number][] =>
  ['EIO', 'ENOSPC'].flatMap((error) =>
    ['', '+'].flatMap((lasting) =>
      Array.from({ length: count }, (_call, index): [string, number] => [`error=${error}:when=${index + 1}${lasting}`, index]),
    ),
  );

describe.runIf(traceable)('a log of receipts', () => {
  // Of a request two lines are written: that it was received, and how it was settled.
  it.each(faults(4))('of which a write fails (%s) serves no request from there on', async (how, index) => {
    const { provider, receipts } = await failing('write', how);
    const opened = await provider.open(answers, receipts);
    const served = Math.floor(index / 2);
    const statuses = await asked(opened, 3);
    expect(statuses.slice(0, served)).toEqual(Array(served).fill(200));
    expect(statuses.slice(served)).not.toContain(200);
    expect(settled(receipts)).toBe(served);
    expect((await provider.close(opened)).status).not.toBe(200);
    await provider.stop();
  });

  it.each(faults(2))('that cannot be made durable (%s) is handed to nobody', async (how) => {
    const { provider, receipts } = await failing('fsync', how);
    await expect(provider.open(answers, receipts)).rejects.toThrow(/cannot be made durable/);
    await provider.stop();
  });

  it.each(faults(6).filter(([, index]) => index >= 2))(
    'of which a sync fails (%s) serves no request from there on, whatever a later sync says',
    async (how, index) => {
      const { provider, receipts } = await failing('fsync', how);
      const opened = await provider.open(answers, receipts);
      const served = Math.floor((index - 2) / 2);
      const statuses = await asked(opened, 3);
      expect(statuses.slice(0, served)).toEqual(Array(served).fill(200));
      expect(statuses.slice(served)).not.toContain(200);
      // The line of which nobody knows is the last one: nothing was added on its strength.
      expect(settled(receipts) - served).toBeLessThanOrEqual(1);
      expect((await provider.close(opened)).status).not.toBe(200);
      await provider.stop();
    },
  );
});
