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

  const tools = (changes: object): object => ({
    config: { ...config, tools: [httpTool('a'), { ...httpTool('b'), ...changes }] },
  });
  test.each<[string, unknown]>([
    ['options', null],
    ['options', []],
    ['crate', { crate: true }],
    ['create', { create: 'yes' }],
    ['create', { create: null }],
    ['sessionId', { sessionId: 5 }],
    ['providerUrl', { providerUrl: '' }],
    ['commit', { commit: null }],
    ['ceilingBytes', { ceilingBytes: Number.NaN }],
    ['ceilingBytes', { ceilingBytes: '20000' }],
    ['ceilingBytes', { ceilingBytes: 0 }],
    ['toolEnvironment', { toolEnvironment: null }],
    ['toolEnvironment', { toolEnvironment: { 'A=B': 'x' } }],
    ['toolEnvironment.A', { toolEnvironment: { A: 'x\0' } }],
    ['floorFolder', { floorFolder: '' }],
    ['onCommitted', { onCommitted: 'print' }],
    ['config', { config: 'default' }],
    ['config.temperature', { config: { ...config, temperature: 1 } }],
    ['config.model', { config: { ...config, model: null } }],
    ['config.system', { config: { ...config, system: null } }],
    ['config.maxSteps', { config: { ...config, maxSteps: 0 } }],
    ['config.maxSteps', { config: { ...config, maxSteps: null } }],
    ['config.modelLeg', { config: { ...config, modelLeg: 'again' } }],
    ['config.modelAttempts', { config: { ...config, modelAttempts: 1.5 } }],
    ['config.modelTimeoutMs', { config: { ...config, modelTimeoutMs: Number.NaN } }],
    ['config.times', { config: { ...config, times: 1 } }],
    ['config.freeze', { config: { ...config, freeze: 'no' } }],
    ['config.renderVersion', { config: { ...config, renderVersion: 9 } }],
    ['config.tools', { config: { ...config, tools: 'none' } }],
    ['config.tools[1]', { config: { ...config, tools: [httpTool('a'), null] } }],
    ['config.tools[1].aproval', tools({ aproval: 'required' })],
    ['config.tools[1].approval', tools({ approval: null })],
    ['config.tools[1].onUnknown', tools({ onUnknown: 'go on' })],
    ['config.tools[1].timeoutMs', tools({ timeoutMs: 0 })],
    ['config.tools[1].timeoutMs', tools({ timeoutMs: 2 ** 31 })],
    ['config.tools[1].argv', tools({ kind: 'command', effect: null, argv: 'true' })],
    ['config.tools[1].arguments', tools({ arguments: {} })],
    ['config.tools[1].arguments[0].optional', tools({ arguments: [{ name: 'x', type: 'string', required: true, optional: 1 }] })],
    ['config.tools[1].arguments[0].type', tools({ arguments: [{ name: 'x', type: 'text', required: true }] })],
  ])('are refused under the name that their caller gave: %s', (name, changes) => {
    const folder = newFolder();
    const whole = changes !== null && !Array.isArray(changes);
    const given: unknown = whole ? { create: true, sessionId: 's-1', ...(changes as object) } : changes;
    let refused: unknown;
    try {
      openSession(folder, given as SessionOptions).close();
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: 'input-invalid' });
    const { message } = refused as Error;
    expect([message.startsWith(`${name} `), message.includes(`: ${name} `)]).toContain(true);
    expect(existsSync(folder)).toBe(false);
  });

  test('of an operation are refused by name too, and nothing is recorded', async () => {
    const folder = newFolder();
    const session = openSession(folder, { create: true, sessionId: 's-1', providerUrl: 'http://127.0.0.1:9/p', config });
    const bytes = bytesOf(folder);
    const invalid = (name: string): object => ({ code: 'input-invalid', message: expect.stringMatching(`^${name} `) });
    const named = (name: string): Error => expect.objectContaining(invalid(name)) as Error;
    await expect(session.send({ runId: 'run-a', text: 'Hi.', delivry: 'steer' } as never)).rejects.toMatchObject(
      invalid('delivry'),
    );
    await expect(session.send(null as never)).rejects.toMatchObject(invalid('message'));
    expect(() => session.queue({ submissionId: 'q-1', text: 'x', interrupt: true } as never)).toThrow(named('interrupt'));
    expect(() => session.steer({ text: 'x', sentId: 'a' } as never)).toThrow(named('sentId'));
    expect(() => session.cancel({ when: 'now' } as never)).toThrow(named('when'));
    expect(() => session.approve({ toolCallId: 'c', descision: 'denied' } as never)).toThrow(named('descision'));
    for (const call of [{}, { key: 'k', toolCallId: 'c' }])
      expect(() => session.approve({ ...call, decision: 'denied', by: 'x' })).toThrow(named('An answer'));
    expect(() => openSessionReader(folder, { flor: '/' } as never)).toThrow(named('flor'));
    expect(bytesOf(folder)).toEqual(bytes);
    session.close();
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

  test.each([true, false])('is not the one of another id (create: %s), which is left as it is', (make) => {
    const folder = newFolder();
    openSession(folder, { create: true, sessionId: 's-1' }).close();
    const bytes = bytesOf(folder);
    expect(() => openSession(folder, { create: make, sessionId: 's-2' })).toThrow(
      expect.objectContaining({ code: 'session-refused', reason: 'config_conflict', drift: ['session_id'] }),
    );
    // The lease was given back.
    openSession(folder).close();
    expect(bytesOf(folder)).toEqual(bytes);
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
