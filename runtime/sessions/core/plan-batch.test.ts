import { describe, expect, test } from 'vitest';
import { canonical } from '../../core/canonical.js';
import { decisionsOf, planCalls, unanswered } from './plan-batch.js';
import { shapeProblem } from './records.js';
import { fold, runConfig, TestLog, tool } from './testing/log.js';
import { good } from './testing/walk-calls.js';
import type { Assistant, Decision, NoDispatchReason, Tool } from './vocabulary.js';

const config = runConfig({
  tools: [tool('pay'), tool('wipe', { approval: 'required' }), tool('shell', { approval: 'blocked' })],
});
const asked = (name: string, given: string, id = 'c-0'): Assistant => ({
  text: null,
  tool_calls: [{ id, name, arguments: given }],
});
const moment = (given: { available?: (tool: Tool) => boolean; decisions?: [string, Decision][] } = {}) => ({
  available: given.available ?? (() => true),
  decisions: new Map(given.decisions),
});
const reasonOf = (assistant: Assistant, at = moment()): NoDispatchReason | null | undefined =>
  planCalls(assistant, config, at)[0]?.reason;
const large = JSON.stringify({ x: 'a'.repeat(65_536 - 8) });

describe('a call is planned by the first reason that fits', () => {
  const nowhere = moment({ available: () => false });
  const denied = moment({ decisions: [['c-0', 'denied']] });
  test('unknown_tool, before everything', () => {
    expect(reasonOf(asked('nosuch', `${large} `), nowhere)).toBe('unknown_tool');
    expect(reasonOf(asked('toString', good))).toBe('unknown_tool');
  });
  test('policy_blocked, before its size', () => {
    expect(reasonOf(asked('shell', `${large} `), nowhere)).toBe('policy_blocked');
  });
  test('oversized, before what it says', () => {
    expect(Buffer.byteLength(large)).toBe(65_536);
    expect(reasonOf(asked('pay', large))).toBe(null);
    expect(reasonOf(asked('pay', `${large} `), nowhere)).toBe('oversized');
    expect(reasonOf(asked('pay', `[${'"'.repeat(65_536)}`))).toBe('oversized');
    expect(reasonOf(asked('pay', JSON.stringify({ x: 'é'.repeat(32_765) })))).toBe('oversized');
  });
  test('invalid_arguments, before whether anybody is there', () => {
    expect(reasonOf(asked('pay', '[]'), nowhere)).toBe('invalid_arguments');
    expect(reasonOf(asked('pay', ''), nowhere)).toBe('invalid_arguments');
  });
  test('unavailable, before what a person said', () => {
    expect(reasonOf(asked('wipe', good), { ...denied, available: () => false })).toBe('unavailable');
    expect(reasonOf(asked('pay', good), moment({ available: ({ name }) => name === 'pay' }))).toBe(null);
  });
  test('denied, last', () => {
    expect(reasonOf(asked('wipe', good), denied)).toBe('denied');
    expect(reasonOf(asked('wipe', good), moment({ decisions: [['c-1', 'denied']] }))).toBe(null);
    expect(reasonOf(asked('wipe', good), moment({ decisions: [['c-0', 'approved']] }))).toBe(null);
  });
});

test('whatever is planned for dispatch has an intent that its record can hold', () => {
  const escaped = JSON.stringify({ x: '"'.repeat(32_700) });
  expect(Buffer.byteLength(escaped)).toBeLessThanOrEqual(65_536);
  const intent = (given: string): number =>
    Buffer.byteLength(
      canonical({
        run_id: 'r'.repeat(128),
        batch_id: 'batch-1234567890123456',
        tool_call_id: 'c'.repeat(128),
        name: 'n'.repeat(64),
        arguments: given,
        approval_seq: Number.MAX_SAFE_INTEGER,
        dispatched_at_ms: Number.MAX_SAFE_INTEGER,
      }),
    );
  expect(intent(escaped)).toBeGreaterThan(131_072);
  expect(reasonOf(asked('pay', escaped))).toBe('oversized');
  const fits = JSON.stringify({ x: '"'.repeat(32_400) });
  expect(reasonOf(asked('pay', fits))).toBe(null);
  expect(intent(fits)).toBeLessThanOrEqual(131_072);
});

test('a plan is one for each call, in the order of the answer, and has its shape', () => {
  const calls = ['wipe', 'shell', 'pay', 'nosuch'].map((name, at) => ({ id: `c-${at}`, name, arguments: good }));
  const planned = planCalls({ text: null, tool_calls: calls }, config, moment());
  expect(planned).toEqual([
    { tool_call_id: 'c-0', name: 'wipe', plan: 'dispatch', reason: null },
    { tool_call_id: 'c-1', name: 'shell', plan: 'no_dispatch', reason: 'policy_blocked' },
    { tool_call_id: 'c-2', name: 'pay', plan: 'dispatch', reason: null },
    { tool_call_id: 'c-3', name: 'nosuch', plan: 'no_dispatch', reason: 'unknown_tool' },
  ]);
  const payload = { run_id: 'r', batch_id: 'batch-3', step_id: 'step-3', mode: 'parallel', planned };
  expect(shapeProblem('tool_batch_started', payload)).toBe(null);
});

describe('a person is asked', () => {
  const calls = [
    { id: 'c-0', name: 'wipe', arguments: good },
    { id: 'c-1', name: 'pay', arguments: good },
    { id: 'c-2', name: 'wipe', arguments: '[]' },
    { id: 'c-3', name: 'wipe', arguments: good },
    { id: 'c-4', name: 'shell', arguments: good },
  ];
  const assistant = { text: null, tool_calls: calls };
  test('only about calls that would be dispatched and have no answer', () => {
    expect(unanswered(assistant, config, moment())).toEqual(['c-0', 'c-3']);
    expect(unanswered(assistant, config, moment({ decisions: [['c-0', 'denied']] }))).toEqual(['c-3']);
    expect(
      unanswered(
        assistant,
        config,
        moment({
          decisions: [
            ['c-0', 'approved'],
            ['c-3', 'denied'],
          ],
        }),
      ),
    ).toEqual([]);
    expect(unanswered(assistant, config, moment({ available: () => false }))).toEqual([]);
  });
  test('and what was answered is read from the log', () => {
    const log = new TestLog().start('run-a', 'Hi', config).startStep().answer(null, ['c-0', 'wipe', good], ['c-1', 'wipe', good]);
    log.ask('c-0', 'wipe', good).ask('c-1', 'wipe', good).resolve('c-1', 6, 'denied');
    expect(decisionsOf(fold(log).current!.steps[0]!)).toEqual(new Map([['c-1', 'denied']]));
  });
});
