/** An answer is one unit: of one that comes in pieces nothing is on disk before it is whole, and nothing at all where it never is. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProvider, type Behaviour } from '../../testing/provider.js';
import { create, frames, newFolder, payloads, types } from '../testing/session.js';

const words = Array.from({ length: 40 }, (_value, at) => `word-${at}`);
const text = words.join(' ');
const body = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: text } }] });
const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;

/** One piece after another, each on its way before the next is written. */
async function write(socket: Socket, whole: string): Promise<void> {
  for (let at = 0; at < whole.length; at += 50)
    await new Promise<void>((resolve) => void socket.write(whole.slice(at, at + 50), () => resolve()));
}

/** How many words of the answer are anywhere in the folder of the log. */
const onDisk = (folder: string): number => {
  const bytes = readFileSync(join(folder, 'session.wal'), 'utf8');
  return words.filter((word) => bytes.includes(word)).length;
};

async function asked(behaviour: Behaviour) {
  const provider = await startProvider(behaviour);
  const folder = newFolder();
  const session = create(folder, provider.url);
  return { folder, session, end: () => (session.close(), provider.close()) };
}

test('that comes in pieces is one record, and before its last piece none', async () => {
  const box: { folder?: string; before?: [number, string[]] } = {};
  const { folder, session, end } = await asked((socket) => {
    void write(socket, head + body.slice(0, -1)).then(() => {
      box.before = [onDisk(box.folder ?? ''), types(box.folder ?? '')];
      socket.end(body.slice(-1));
    });
  });
  box.folder = folder;
  expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'completed', text });
  expect(box.before).toEqual([0, ['lineage', 'run_started', 'step_started']]);
  const holding = frames(folder).filter(({ payload }) => words.some((word) => JSON.stringify(payload).includes(word)));
  expect(holding.map(({ type }) => type)).toEqual(['model_step_finished']);
  expect(onDisk(folder)).toBe(words.length);
  await end();
});

test('that breaks off before its last piece leaves no word of it', async () => {
  const { folder, session, end } = await asked((socket) => void write(socket, head + body.slice(0, -1)).then(() => socket.end()));
  expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'error', error: { code: 'model_failed' } });
  expect(payloads(folder, 'model_attempt_finished')).toMatchObject([{ outcome: 'broken', response: null }]);
  expect(types(folder)).not.toContain('model_step_finished');
  expect(onDisk(folder)).toBe(0);
  await end();
});
