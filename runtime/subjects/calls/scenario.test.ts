import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment, UsageError } from '../kit/environment.js';
import { review, withCall } from '../../testing/roles.js';
import { asScenario, type Scenario } from './scenario.js';

const half = 'a\ud800';
const withTask = (changes: object): unknown => ({ ...review, task: { ...review.task, ...changes } });
const withItem = (changes: object): unknown => ({
  ...review,
  context: { ...review.context, items: [{ ...review.context.items[0], ...changes }] },
});
const fan = { items: review.context.items, required_ids: [] };
const retry = { ...(review.call as NonNullable<Scenario['call']>).retry };

describe('what would fail only after something was recorded is a mistake of the scenario', () => {
  test.each<[string, unknown]>([
    ['/task/title', withTask({ title: half })],
    ['/task/task_id', withTask({ task_id: '../x' })],
    ['/task/claim/claim_id', withTask({ claim: { ...review.task.claim, claim_id: 'c d' } })],
    ['/context/items/0/id', withItem({ id: '' })],
    ['/context/items/0/content', withItem({ content: half })],
    ['/context/items/0/lineage/0', withItem({ lineage: [half] })],
    ['/call/idempotency_key', withCall({ idempotency_key: 'k\r\nx-other: y' })],
    ['/call/idempotency_key', withCall({ idempotency_key: 'k\u00e9' })],
    ['/call/system', withCall({ system: half })],
    ['/call/timeout_ms', withCall({ timeout_ms: 2 ** 31 })],
    ['/call/timeout_ms', withCall({ timeout_ms: 0 })],
    ['/call/retry/max_attempts', withCall({ retry: { ...retry, max_attempts: 0 } })],
    ['/call/retry/retry_statuses/0', withCall({ retry: { ...retry, retry_statuses: [99_999] } })],
    ['/call/reconcile', withCall({ reconcile: 'ask' as 'lookup' })],
    ['/call/tools/0', withCall({ tools: ['tool' as unknown as object] })],
    ['/call/tools/0/parameters/0', withCall({ tools: [{ parameters: [0.5] }] })],
    ['/call/tools/0/name', withCall({ tools: [{ name: half }] })],
    ['/context/tokenizer', { ...review, context: { ...review.context, tokenizer: 'letters' } }],
    ['/context/fan_out', { ...review, context: { ...review.context, fan_out: [] } }],
    ['/context/fan_out/1/items/0', { ...review, context: { ...review.context, fan_out: [fan, { ...fan, items: [{}] }] } }],
    ['/dial/port', { ...review, dial: { host: '127.0.0.1', port: 65_536 } }],
    ['/__proto__', { ...review, ['__proto__']: { call: null } }],
  ])('%s', (pointer, scenario) => {
    expect(() => asScenario(scenario)).toThrow(pointer);
    expect(() => asScenario(scenario)).toThrow(UsageError);
  });

  test('the reviewed one has none', () => {
    expect(asScenario(review)).toBe(review);
  });

  test('nor has one with everything that may be left out', () => {
    const context = { ...review.context, tokenizer: 'o200k_base', fan_out: [fan] };
    const full = {
      ...withCall({ reconcile: 'fence', tools: [{ type: 'function', function: { name: 'f', strict: true } }] }),
      context,
    };
    expect(asScenario(full)).toBe(full);
  });
});

describe('the environment of a role', () => {
  const nowhere = { checkpoints: [], resumesByRecord: false };
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-environment-'));
  const scenario = join(folder, 'scenario.json');
  const given = {
    KILLPOINT_STATE: folder,
    KILLPOINT_OUT: join(folder, 'answer.json'),
    KILLPOINT_PROVIDER_URL: 'http://127.0.0.1:9/p',
    KILLPOINT_SCENARIO: scenario,
  };
  const read = (changes: object) => () =>
    readEnvironment('produce', { ...nowhere, checkpoints: ['task.created'] }, { ...given, ...changes });

  test('is refused where the answer could not be written, the URL is none, or the scenario is no UTF-8', () => {
    writeFileSync(scenario, '{}');
    expect(read({})).not.toThrow();
    expect(read({ KILLPOINT_OUT: join(folder, 'absent/answer.json') })).toThrow(UsageError);
    expect(read({ KILLPOINT_PROVIDER_URL: 'nowhere' })).toThrow(UsageError);
    writeFileSync(scenario, Buffer.from('{"title": "\xff"}', 'latin1'));
    expect(read({})).toThrow(UsageError);
  });

  test('lets an operation of resume do without provider and scenario, and nobody else', () => {
    const bare = { ...given, KILLPOINT_PROVIDER_URL: '', KILLPOINT_SCENARIO: '' };
    const operation = { ...bare, KILLPOINT_OPERATION: 'finalize', KILLPOINT_ON: 'call-6', KILLPOINT_DRY_RUN: '1' };
    expect(readEnvironment('resume', nowhere, operation)).toMatchObject({
      providerUrl: null,
      scenario: null,
      operation: 'finalize',
      on: 'call-6',
      input: null,
      dryRun: true,
    });
    for (const role of ['produce', 'restart', 'resume'] as const)
      expect(() => readEnvironment(role, nowhere, bare)).toThrow('KILLPOINT_PROVIDER_URL is not set');
    expect(() => readEnvironment('produce', nowhere, operation)).toThrow(UsageError);
    const byRecord = { ...nowhere, resumesByRecord: true };
    expect(readEnvironment('resume', byRecord, bare)).toMatchObject({ providerUrl: null, scenario: null, operation: null });
    for (const role of ['produce', 'restart'] as const)
      expect(() => readEnvironment(role, byRecord, bare)).toThrow('KILLPOINT_PROVIDER_URL is not set');
  });

  test('refuses what belongs to an operation where none is named, and an input that cannot be read', () => {
    const named = { ...given, KILLPOINT_OPERATION: 'accept_duplicate' };
    expect(() => readEnvironment('resume', nowhere, { ...given, KILLPOINT_ON: 'call-6' })).toThrow('names none');
    expect(() => readEnvironment('resume', nowhere, { ...given, KILLPOINT_INPUT: scenario })).toThrow('names none');
    writeFileSync(scenario, '{"by":');
    expect(() => readEnvironment('resume', nowhere, { ...named, KILLPOINT_SCENARIO: '', KILLPOINT_INPUT: scenario })).toThrow(
      'KILLPOINT_INPUT names',
    );
  });
});
