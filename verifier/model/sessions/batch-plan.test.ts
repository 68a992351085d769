import { describe, expect, it } from 'vitest';
import { config, tool, tools } from '../../testing/session-records.js';
import { argumentsFit, lawfulPlans, needsApproval, reasonNotToDispatch } from './batch-plan.js';
import { mayGoOn } from './call-state.js';

const call = (name: string, given = '{"amount":7}') => ({ id: 'c', name, arguments: given });
const long = `{"amount":7,"x":"${'x'.repeat(65_536)}"}`;
const answered = (name: string, decision?: 'approved' | 'denied') => ({
  ...call(name),
  answers:
    decision === undefined
      ? []
      : [{ decision, run_id: 'r', batch_id: 'batch-1', tool_call_id: 'c', request_seq: 1, by: 'x', seq: 9 }],
});

describe('a call is not dispatched', () => {
  it.each<[string, ReturnType<typeof call>, string | null]>([
    ['whose tool is not there', call('none'), 'unknown_tool'],
    ['whose tool is not there, before its arguments are looked at', call('none', 'x'), 'unknown_tool'],
    ['that is blocked', call('wipe'), 'policy_blocked'],
    ['that is blocked, before its arguments are looked at', call('wipe', long), 'policy_blocked'],
    ['that is too large', call('charge', long), 'oversized'],
    ['that is too large in bytes, not in characters', call('charge', `{"amount":"${'é'.repeat(32_768)}"}`), 'oversized'],
    ['whose arguments are not those of the tool', call('charge', '{}'), 'invalid_arguments'],
    ['that has a tool and arguments', call('charge'), null],
    ['that needs an approval', call('refund'), null],
  ])('%s', (_what, asked, reason) => expect(reasonNotToDispatch(asked, config())).toBe(reason));

  it('at one byte over the cap and not at the cap', () => {
    const one = tool('say', { arguments: [{ name: 't', type: 'string', required: true }] });
    const given = (length: number) => ({ ...call('say'), arguments: `{"t":"${'x'.repeat(length - 8)}"}` });
    const reasons = [65_536, 65_537].map((length) => reasonNotToDispatch(given(length), config({ tools: [one] })));
    expect(reasons).toEqual([null, 'oversized']);
  });
});

describe('arguments', () => {
  const wanted = tool('pay', {
    arguments: [
      { name: 'amount', type: 'integer', required: true },
      { name: 'why', type: 'string', required: false },
      { name: 'sure', type: 'boolean', required: false },
    ],
  });

  it.each<[string, boolean]>([
    ['{"amount":7}', true],
    ['{"why":"So.","sure":false,"amount":-7}', true],
    [' {"amount" : 7} ', true],
    ['{"amount":7.0}', true],
    ['{"amount":7.5}', false],
    ['{"amount":"7"}', false],
    ['{"amount":null}', false],
    ['{"amount":7,"why":null}', false],
    ['{"amount":7,"sure":1}', false],
    ['{"why":"So."}', false],
    ['{"amount":7,"more":1}', false],
    ['{"amount":7,"__proto__":1}', false],
    ['{}', false],
    ['[7]', false],
    ['7', false],
    ['null', false],
    ['', false],
    ['{"amount":7', false],
  ])('%s: %s', (text, fits) => expect(argumentsFit(text, wanted)).toBe(fits));

  it('of a tool without any are an empty object', () => {
    expect([argumentsFit('{}', { arguments: [] }), argumentsFit('', { arguments: [] })]).toEqual([true, false]);
  });
});

describe('the plan of a call', () => {
  const dispatch = { plan: 'dispatch', reason: null };
  const not = (reason: string) => ({ plan: 'no_dispatch', reason });

  it.each<[string, Parameters<typeof lawfulPlans>[0], object[]]>([
    ['is the first reason that fits', answered('wipe', 'denied'), [not('policy_blocked')]],
    ['is to dispatch, or the tool was not there', answered('charge'), [dispatch, not('unavailable')]],
    ['after an approval', answered('refund', 'approved'), [dispatch, not('unavailable')]],
    ['after a denial', answered('refund', 'denied'), [not('denied'), not('unavailable')]],
    ['in a close-out without an answer', answered('refund'), [dispatch, not('unavailable')]],
  ])('%s', (_what, asked, plans) => expect(lawfulPlans(asked, config())).toEqual(plans));

  it('asks a person only about what would be dispatched', () => {
    const asked = [call('refund'), call('refund', '{}'), call('charge'), call('wipe'), call('none')];
    expect(asked.map((one) => needsApproval(one, config()))).toEqual([true, false, false, false, false]);
  });
});

describe('a run may go on without knowing', () => {
  it.each([
    ['of a pure tool that says so', { safety: 'pure', on_unknown: 'continue' }, true],
    ['of an idempotent tool that says so', { safety: 'idempotent', on_unknown: 'continue' }, true],
    ['of a tool with an effect that says so', { safety: 'side_effect', on_unknown: 'continue' }, false],
    ['of a pure tool that does not', { safety: 'pure', on_unknown: 'interrupt' }, false],
  ] as const)('%s: %s', (_what, more, may) => {
    expect(mayGoOn({ name: 'one' }, { tools: [tool('one', more)] })).toBe(may);
  });

  it('never of a tool that is not there', () => expect(mayGoOn({ name: 'none' }, { tools: Object.values(tools) })).toBe(false));
});
