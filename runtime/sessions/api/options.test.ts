/** What a caller may say, and what a reader sees: refused before anything is made, and read without a byte changed. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bytesOf, config, create, frames, httpTool, newFolder } from '../testing/session.js';
import { startStrictProvider } from '../testing/strict-provider.js';
import { runConfigOf } from './config.js';
import type { SessionOptions } from './options.js';
import { openSessionReader } from './reader.js';
import { openSession } from './session.js';

describe('options', () => {
  test.each<[string, SessionOptions]>([
    ['no id', { create: true, config }],
    ['an id that is none', { create: true, sessionId: '../s', config }],
    ['a URL with a password', { create: true, sessionId: 's-1', providerUrl: 'http://a:b@localhost/', config }],
    ['a URL that is none', { create: true, sessionId: 's-1', providerUrl: 'localhost', config }],
    ['a commit mode that is none', { create: true, sessionId: 's-1', commit: 'often' as 'each' }],
    ['two tools of one name', { create: true, sessionId: 's-1', config: { ...config, tools: [httpTool('a'), httpTool('a')] } }],
    [
      'a side effect that goes on',
      { create: true, sessionId: 's-1', config: { ...config, tools: [httpTool('a', { onUnknown: 'continue' })] } },
    ],
    [
      'a command without a program',
      { create: true, sessionId: 's-1', config: { ...config, tools: [{ name: 'a', kind: 'command', argv: [] }] } },
    ],
    [
      'an HTTP tool with a program',
      { create: true, sessionId: 's-1', config: { ...config, tools: [httpTool('a', { argv: ['true'] })] } },
    ],
    ['a renderer that is not there', { create: true, sessionId: 's-1', config: { ...config, renderVersion: 3 } }],
    ['no steps', { create: true, sessionId: 's-1', config: { ...config, maxSteps: 0 } }],
    ['a time that no timer waits', { create: true, sessionId: 's-1', config: { ...config, modelTimeoutMs: 2 ** 31 } }],
    ['half a character', { create: true, sessionId: 's-1', config: { ...config, system: '\ud800' } }],
  ])('with %s are refused, and nothing is made', (_what, options) => {
    const folder = newFolder();
    expect(() => openSession(folder, options)).toThrow(expect.objectContaining({ code: 'input-invalid' }));
    expect(existsSync(folder)).toBe(false);
  });

  test('that are left out are filled in, and the configuration is a copy', () => {
    const argv = ['true'];
    const made = runConfigOf({ model: 'm', tools: [{ name: 'a', kind: 'command', argv }] });
    argv.push('false');
    expect(made).toMatchObject({
      system: '',
      batch: 'sequential',
      max_steps: 16,
      model_leg: 'rerun',
      model_attempts: 1,
      times: false,
    });
    expect(made.tools[0]).toMatchObject({
      argv: ['true'],
      effect: null,
      safety: 'side_effect',
      approval: 'never',
      on_unknown: 'interrupt',
    });
    expect(made.render).toMatchObject({ name: 'chat-messages', version: 2 });
    expect(JSON.parse(made.render.bundle ?? '')).toMatchObject({ model: 'm', parallel_tool_calls: false });
    expect(runConfigOf({ model: 'm', freeze: false }).render.bundle).toBeNull();
  });
});

describe('a session that is not there', () => {
  test('is not made unless it is asked for', () => {
    const folder = newFolder();
    expect(() => openSession(folder)).toThrow(expect.objectContaining({ code: 'state-absent' }));
    expect(() => openSessionReader(folder)).toThrow(expect.objectContaining({ code: 'state-absent' }));
    mkdirSync(folder);
    expect(() => openSession(folder)).toThrow(expect.objectContaining({ code: 'state-absent' }));
  });

  test('is made whole, and a second owner is refused', () => {
    const folder = newFolder();
    const session = openSession(folder, { create: true, sessionId: 's-1' });
    expect(() => openSession(folder)).toThrow(expect.objectContaining({ code: 'owner-alive' }));
    expect(session.state()).toMatchObject({ session_id: 's-1', next_operation: 'none', runs: [], queue: [] });
    session.close();
    expect(() => session.queue({ submissionId: 'q-1', text: 'x' })).toThrow(expect.objectContaining({ code: 'closed' }));
    const again = openSession(folder, { create: true, sessionId: 's-1' });
    again.close();
    expect(frames(folder)).toHaveLength(1);
  });
});

test('a reader sees what is durable, while the owner lives, and changes nothing', async () => {
  const folder = newFolder();
  const seen: number[] = [];
  const provider = await startStrictProvider({
    model: () => {
      const before = bytesOf(folder);
      const reader = openSessionReader(folder);
      seen.push(reader.frames().length, reader.tornBytes);
      expect(reader.state().runs[0]).toMatchObject({ stage: 'step_due' });
      reader.close();
      expect(bytesOf(folder)).toEqual(before);
      return { text: 'Hello.' };
    },
  });
  const session = create(folder, provider.url);
  expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'completed' });
  const reader = openSessionReader(folder);
  expect(seen).toEqual([3, 0]);
  expect(reader.state()).toEqual(session.state());
  session.close();
  await provider.close();
  expect(existsSync(join(folder, 'lease.sqlite'))).toBe(true);
});
