import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../../core/errors.js';
import { configConflicts, demandConfig, renderRefusal, frozenBundle } from './config.js';
import { runConfig, tool } from './testing/log.js';
import type { RunConfig, Tool } from './vocabulary.js';

const frozen = (config: RunConfig, render: Partial<RunConfig['render']>): RunConfig => ({
  ...config,
  render: { ...config.render, ...render },
});

describe('a frozen configuration', () => {
  const offered =
    '[{"function":{"description":"Does pay.","name":"pay","parameters":{"additionalProperties":false,"properties":' +
    '{"x":{"type":"string"}},"required":["x"],"type":"object"}},"type":"function"}]';
  test('is what every request shares, by its version', () => {
    const config = runConfig({ tools: [tool('pay')], batch: 'parallel' });
    expect(frozenBundle(config, 1)).toBe(`{"model":"synthetic-1","system":"You help.","tools":${offered}}`);
    expect(frozenBundle(config, 2)).toBe(
      `{"model":"synthetic-1","parallel_tool_calls":true,"system":"You help.","tools":${offered}}`,
    );
    expect(frozenBundle(runConfig(), 2)).toBe(
      '{"model":"synthetic-1","parallel_tool_calls":false,"system":"You help.","tools":[]}',
    );
  });

  test('renders where both versions made what is frozen', () => {
    for (const version of [1, 2] as const) expect(renderRefusal(runConfig({ tools: [tool('pay')] }, version))).toBe(null);
  });
  test('of a version that is not in the table refuses first, whatever else is wrong', () => {
    for (const version of [3, 99])
      expect(renderRefusal(frozen(runConfig(), { version, bundle: null }))?.reason).toBe('renderer_version_drift');
  });
  test('that is missing or not to be read refuses second', () => {
    const unread = [null, '', 'null', '[]', '"{}"', '{', '{}', '{"model":"synthetic-1"}', frozenBundle(runConfig(), 1)];
    for (const bundle of unread)
      expect(renderRefusal(frozen(runConfig(), { bundle }))?.reason).toBe('frozen_render_config_unverifiable');
    expect(renderRefusal(frozen(runConfig({}, 1), { bundle: frozenBundle(runConfig(), 2) }))?.reason).toBe(
      'frozen_render_config_unverifiable',
    );
  });
  test('that is not what its renderer makes of the record refuses third, by one byte', () => {
    const config = runConfig();
    const { bundle } = config.render;
    for (const other of [` ${bundle}`, bundle?.replace('help', 'hinder'), bundle?.replace('false', 'true')])
      expect(renderRefusal(frozen(config, { bundle: other ?? '' }))?.reason).toBe('frozen_render_config_drift');
    expect(renderRefusal({ ...config, system: 'Other.' })?.reason).toBe('frozen_render_config_drift');
    expect(renderRefusal({ ...config, batch: 'parallel' })?.reason).toBe('frozen_render_config_drift');
  });
  test('says in each refusal what is wrong, in one sentence', () => {
    const refusals = [
      frozen(runConfig(), { version: 3 }),
      frozen(runConfig(), { bundle: null }),
      frozen(runConfig(), { bundle: '{}' }),
    ];
    for (const config of refusals) expect(renderRefusal(config)?.detail).toMatch(/^[A-Z].*\.$/);
  });
});

describe('a caller’s configuration conflicts', () => {
  const recorded = runConfig({ tools: [tool('pay')] });
  const cases: [string, RunConfig][] = [
    ['model', { ...recorded, model: 'other' }],
    ['system', { ...recorded, system: '' }],
    ['tools', { ...recorded, tools: [tool('pay', { safety: 'pure' })] }],
    ['batch', { ...recorded, batch: 'parallel' }],
    ['max_steps', { ...recorded, max_steps: 5 }],
    ['model_leg', { ...recorded, model_leg: 'intent' }],
    ['model_attempts', { ...recorded, model_attempts: 2 }],
    ['renderer', frozen(recorded, { version: 1 })],
    ['provider', { ...recorded, provider: { path: '/v2' } }],
    ['times', { ...recorded, times: true }],
  ];
  test.each(cases)('in %s, and nothing else is named', (name, wanted) => {
    expect(configConflicts(recorded, wanted)).toEqual([name]);
  });
  test('in nothing where only its time-out differs: that changes no request', () => {
    expect(configConflicts(recorded, { ...recorded, model_timeout_ms: 1 })).toEqual([]);
  });
  test('in nothing where it says the same, whatever the order of its members or how it was frozen', () => {
    const same = JSON.parse(JSON.stringify(recorded)) as RunConfig;
    const turned = Object.fromEntries(Object.entries(same).toReversed()) as unknown as RunConfig;
    expect(configConflicts(recorded, turned)).toEqual([]);
    expect(configConflicts(recorded, frozen(same, { bundle: null }))).toEqual([]);
  });
  test('in everything that differs, in a fixed order', () => {
    const other = frozen({ ...runConfig({ batch: 'parallel', times: true }), model: 'other' }, { version: 1 });
    expect(configConflicts(recorded, other)).toEqual(['model', 'tools', 'batch', 'renderer', 'times']);
    const turned = runConfig({ tools: [tool('a'), tool('b')] });
    expect(configConflicts(turned, runConfig({ tools: [tool('b'), tool('a')] }))).toEqual(['tools']);
  });
});

describe('a configuration that cannot be used', () => {
  const command: Partial<Tool> = { kind: 'command', effect: null, argv: ['true'] };
  const cases: [RegExp, unknown][] = [
    [/two tools are named pay/, runConfig({ tools: [tool('pay'), tool('pay')] })],
    [
      /declares the argument x twice/,
      runConfig({ tools: [tool('pay', { arguments: [1, 2].map(() => ({ name: 'x', type: 'string', required: true })) })] }),
    ],
    [/may not continue after an unknown outcome/, runConfig({ tools: [tool('pay', { on_unknown: 'continue' })] })],
    [/needs an effect and no argv/, runConfig({ tools: [tool('pay', { effect: null })] })],
    [/needs an effect and no argv/, runConfig({ tools: [tool('pay', { argv: ['true'] })] })],
    [/needs an argv and no effect/, runConfig({ tools: [tool('run', { ...command, argv: null })] })],
    [/needs an argv and no effect/, runConfig({ tools: [tool('run', { ...command, effect: 'run' })] })],
    [/holds a NUL/, runConfig({ tools: [tool('run', { ...command, argv: ['true', 'a\0b'] })] })],
    [/max_steps must be >= 1/, { ...runConfig(), max_steps: 0 }],
    [/must be (integer|number)/, { ...runConfig(), max_steps: 1.5 }],
    [/must have required property 'model'/, { ...runConfig(), model: undefined }],
    [/must NOT have additional properties/, { ...runConfig(), temperature: 1 }],
    [/: it must be object/, null],
  ];
  test.each(cases)('is refused in words: %s', (reason, config) => {
    expect(() => demandConfig(config)).toThrow(reason);
    expect(() => demandConfig(config)).toThrow(RuntimeError);
    expect(() => demandConfig(config)).toThrow(/^The configuration cannot be used: [^\n]*\.$/);
  });
  test('with half of a surrogate pair is refused before anything is hashed', () => {
    expect(() => demandConfig({ ...runConfig(), system: '\ud800' })).toThrow(/half of a surrogate pair/);
  });
  test('is told from one that can', () => {
    const config = runConfig({ tools: [tool('look', { safety: 'pure', on_unknown: 'continue' }), tool('run', command)] });
    expect(demandConfig(config)).toBe(config);
    const idempotent = runConfig({ tools: [tool('put', { safety: 'idempotent', on_unknown: 'continue' })] });
    expect(demandConfig(idempotent)).toBe(idempotent);
  });
});
