import { describe, expect, test } from 'vitest';
import { UsageError } from '../../kit/environment.js';
import { askOf, wantedOf } from './wanted.js';

const half = 'a\ud800';
const item = { id: 'A', kind: 'record', required: true, content: 'text', lineage: ['x'] };
const said = { by: 'operator', note: 'the invoice shows it' };
const served = { ...said, finding: 'served', response: { status: 200, content_type: null, body: '{}' } };

describe('what an operation may be given', () => {
  test.each<[string, unknown]>([
    ['recover', null],
    ['recover', { ask: 'fence' }],
    ['start_call', null],
    ['recompile', null],
    ['fix_inputs', { items: [item], required_ids: ['A'] }],
    ['fix_inputs', { instruction: 'Shorter.' }],
    ['fix_inputs', { compilation_id: 'compilation-9' }],
    ['reconcile_effect', null],
    ['reconcile_effect', { ask: 'lookup' }],
    ['reconcile_effect', { ...said, finding: 'unknown' }],
    ['reconcile_effect', served],
    ['reinterpret', null],
    ['reinterpret', { interpreter_version: 2 }],
    ['redecide', null],
    ['start_next_attempt', null],
    ['finalize', null],
    ['check_and_accept', { ...said, judgement: 'rejected' }],
    ['accept_duplicate', said],
  ])('%s with %j', (operation, input) => {
    expect(wantedOf({ operation, input })).toEqual({ operation, input });
  });
});

describe('everything else is a mistake that is told before anything is opened', () => {
  test.each<[string, unknown, string]>([
    ['undo', null, 'none of recover, start_call'],
    ['none', null, 'none of recover'],
    ['decide', null, 'none of recover'],
    ['toString', null, 'none of recover'],
    ['finalize', {}, 'finalize takes none'],
    ['fix_inputs', null, 'fix_inputs needs'],
    ['accept_duplicate', null, 'accept_duplicate needs'],
    ['check_and_accept', null, 'check_and_accept needs'],
    ['check_and_accept', said, '/judgement is missing'],
    ['check_and_accept', { ...said, judgement: 'fine' }, '/judgement is none of accepted, rejected'],
    ['accept_duplicate', { by: '', note: '' }, '/by is empty'],
    ['accept_duplicate', { ...said, note: half }, '/note holds half'],
    ['reconcile_effect', { ...said, finding: 'perhaps' }, '/finding is none of served'],
    ['reconcile_effect', { ...served, response: { ...served.response, status: 20 } }, '/response/status is not a number'],
    ['reconcile_effect', { ask: 'nobody' }, '/ask is none of lookup, fence'],
    ['reconcile_effect', { ...served, ask: 'lookup' }, '/finding is not known'],
    ['recover', said, '/by is not known'],
    ['fix_inputs', { items: [{ ...item, kind: 'story' }], required_ids: [] }, '/items/0/kind is none of'],
    ['fix_inputs', { instruction: '' }, '/instruction is empty'],
    ['fix_inputs', 'text', 'it is not an object'],
    ['reinterpret', { interpreter_version: 0 }, '/interpreter_version is not a number'],
  ])('%s with %j', (operation, input, told) => {
    expect(() => wantedOf({ operation, input })).toThrow(UsageError);
    expect(() => wantedOf({ operation, input })).toThrow(told);
  });
});

test('without an operation there is nothing to carry out, and only an input says how to ask', () => {
  expect(wantedOf({ operation: null, input: null })).toBeNull();
  const asked = wantedOf({ operation: 'recover', input: { ask: 'fence' } });
  expect(asked && askOf(asked)).toBe('fence');
  const stated = wantedOf({ operation: 'reconcile_effect', input: served });
  expect(stated && askOf(stated)).toBeNull();
});
