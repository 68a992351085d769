/**
 * What is durable before what, read from the system calls of a real provider: the file and its directory before the prefix is
 * handed out, each receipt before anything follows from it, the answer last.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { available } from './testing/mechanism.js';
import { ProviderProcess, chat, folder, question } from './testing/provider.js';

const traceable = available('strace', spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0);

afterAll(() => rmSync(folder, { recursive: true }));

/** The calls that matter, as words. */
function words(trace: string, receipts: string): string[] {
  const descriptors = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    const [, opened, , fd = ''] = /openat\(AT_FDCWD, "([^"]*)", (\S+).*\) = (\d+)/.exec(line) ?? [];
    if (opened !== undefined) {
      const name = opened === receipts ? 'file' : opened === folder ? 'directory' : '';
      descriptors.set(fd, name);
      return name === 'file' ? [`open ${line.includes('O_EXCL') ? 'new ' : ''}file`] : [];
    }
    const [, call, used = ''] = /\b(write|writev|sendto|fsync|fdatasync)\((\d+)/.exec(line) ?? [];
    if (call === undefined) return [];
    const name = descriptors.get(used) ?? '';
    if (call === 'fsync') return name === '' ? [] : [`sync ${name}`];
    const text = line.replaceAll('\\"', '"');
    const status = /HTTP\/1\.1 (\d+)/.exec(text)?.[1];
    if (status !== undefined) return [`send ${status}`];
    const kind = /"kind":"(\w+)"/.exec(text)?.[1];
    return name === 'file' ? [`write ${kind}`] : [];
  });
}

describe.runIf(traceable)('order', () => {
  it('every line is durable before what follows from it', async () => {
    const trace = join(folder, 'trace');
    const calls = 'trace=openat,close,write,writev,sendto,fsync,fdatasync';
    const provider = await ProviderProcess.start((argv) => ['strace', '-f', '-s', '10000', '-e', calls, '-o', trace, ...argv]);
    const requests = [
      { do: 'answer' },
      { do: 'cut', after_bytes: 3 },
      { do: 'drop', when: 'after_commit' },
      { do: 'hold', effect: 'none' },
      { do: 'delay_arrival' },
    ];
    const questions = { lookup: { requests: [], otherwise: { do: 'tell' } }, arrivals: { after_questions: 1 } };
    const opened = await provider.open({ key: 'ignore', requests, otherwise: { do: 'answer' }, ...questions });
    for (let request = 0; request < 3; request++) await chat(opened.url);
    const held = chat(opened.url);
    await provider.held(opened);
    await provider.release(opened);
    expect((await held).status).toBe(200);
    const late = chat(opened.url, 'late');
    await provider.held(opened);
    expect((await question(opened.url, 'late')).status).toBe(404);
    await provider.close(opened);
    await late;
    await provider.stop();

    const received = 'write received, sync file';
    const settled = 'write settled, sync file';
    const expected = [
      'open new file, sync file, sync directory, send 201',
      `${received}, ${settled}, send 200`,
      `${received}, ${settled}, send 200`,
      `${received}, ${settled}`,
      // Held: the word of it, then its end, its answer, and the answer to the release.
      `${received}, send 200, ${settled}, send 200, send 200`,
      // On its way: the word of it; the question, the arrival, and only then the answer to the question; the answer to the close.
      `write delayed, sync file, send 200, ${received}, ${settled}, ${received}, ${settled}, send 404, send 200`,
    ];
    expect(words(readFileSync(trace, 'utf8'), opened.receipts).join(', ')).toBe(expected.join(', '));
  });
});
