import { describe, expect, it } from 'vitest';
import { began, config, ofRun, recordsOf, tool, type Written } from '../../testing/session-records.js';
import { driftOf, frozenRefusal } from './configuration.js';
import { requiredFeatures } from './features.js';
import type { RunConfig } from './history.js';

const bare = (more: Partial<RunConfig> = {}) => config({ tools: [], ...more });
const frozen = (version: number, bundle: string | null, more: Partial<RunConfig> = {}) =>
  bare({ ...more, render: { name: 'chat-messages', version, bundle } });
const second = '{"model":"synthetic-1","parallel_tool_calls":false,"system":"You help.","tools":[]}';
const first = '{"model":"synthetic-1","system":"You help.","tools":[]}';

describe('a frozen configuration', () => {
  it.each<[string, RunConfig, string | null]>([
    ['that renders', frozen(2, second), null],
    ['that renders in an earlier version', frozen(1, first), null],
    ['of another version', frozen(3, second), 'renderer_version_drift'],
    ['of another version that cannot be read', frozen(3, null), 'renderer_version_drift'],
    ['that is not there', frozen(2, null), 'frozen_render_config_unverifiable'],
    ['that is no JSON', frozen(2, '{'), 'frozen_render_config_unverifiable'],
    ['that is no object', frozen(2, '[]'), 'frozen_render_config_unverifiable'],
    ['of the members of another version', frozen(2, first), 'frozen_render_config_unverifiable'],
    ['of another model', frozen(2, second, { model: 'synthetic-2' }), 'frozen_render_config_drift'],
    ['of another system text', frozen(2, second, { system: 'You refuse.' }), 'frozen_render_config_drift'],
    ['of other tools', frozen(2, second, { tools: [tool('charge')] }), 'frozen_render_config_drift'],
    ['of another batch', frozen(2, second, { batch: 'parallel' }), 'frozen_render_config_drift'],
    ['that is not canonical', frozen(2, second.replace('":', '": ')), 'frozen_render_config_drift'],
  ])('%s', (_what, recorded, refusal) => expect(frozenRefusal(recorded)).toBe(refusal));
});

describe('a conflict with the configuration of the caller', () => {
  it.each<[string, Partial<RunConfig>]>([
    ['model', { model: 'x' }],
    ['system', { system: 'x' }],
    ['tools', { tools: [tool('x')] }],
    ['batch', { batch: 'parallel' }],
    ['max_steps', { max_steps: 9 }],
    ['model_leg', { model_leg: 'intent' }],
    ['model_attempts', { model_attempts: 9 }],
    ['renderer', { render: { name: 'chat-messages', version: 1, bundle: null } }],
    ['provider', { provider: { path: '/x' } }],
    ['times', { times: true }],
  ])('names %s', (name, more) => expect(driftOf(bare(), bare(more))).toEqual([name]));

  it('names all of them in the order of the contract', () => {
    expect(driftOf(bare(), bare({ times: true, system: 'x', model: 'x' }))).toEqual(['model', 'system', 'times']);
  });

  it('is none for how long a request may take, and for what was frozen', () => {
    expect(driftOf(frozen(2, second), frozen(2, null, { model_timeout_ms: 9 }))).toEqual([]);
  });
});

describe('the features that a record requires', () => {
  const a = ofRun('run-a');
  const timed = ({ type, payload }: Written, name: string): Written => ({ type, payload: { ...payload, [name]: 1 } });

  it.each<[string, Written, string[]]>([
    ['a start', began(), []],
    ['a start under intent', began({ config: { model_leg: 'intent' } }), ['model-intent/v1']],
    ['a start with times', began({ config: { times: true } }), []],
    ['an attempt', a.attempt(3), ['model-intent/v1']],
    ['a steer', a.steers('More.'), ['steer-queue/v1']],
    ['a cancel', a.cancels(), ['run-cancel-at/v1']],
    ['an intent', a.intends(3, 'c'), []],
    ['a timed intent', timed(a.intends(3, 'c'), 'dispatched_at_ms'), ['tool-times/v1']],
    ['a timed no dispatch', timed(a.leaves(3, 'c', 'denied'), 'dispatched_at_ms'), ['tool-times/v1']],
    ['a timed result', timed(a.result(3, 'c'), 'finished_at_ms'), ['tool-times/v1']],
    ['a timed request', timed(a.wants(3, 'c'), 'deferred_at_ms'), ['tool-times/v1']],
    ['a timed answer', timed(a.decides(3, 'c', 'denied'), 'closed_at_ms'), ['tool-times/v1']],
    ['an attempt that is over', a.attempted(3), []],
  ])('%s', (_what, one, wanted) => {
    const record = recordsOf(one)[1];
    expect(record === undefined ? null : requiredFeatures(record)).toEqual(wanted);
  });
});
