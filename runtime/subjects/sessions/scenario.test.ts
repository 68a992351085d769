import { expect, test } from 'vitest';
import { UsageError } from '../kit/environment.js';
import { asScenario } from './scenario.js';
import { scenarioOf, tool } from './testing/scenarios.js';

const told = (value: unknown): string => {
  try {
    asScenario(value);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
};

test('a scenario with everything that it can have is taken as it is', () => {
  const full = scenarioOf(
    [tool('charge'), tool('mail', { kind: 'command', effect: null, argv: ['node', 'tools/effect.js', 'mail'] })],
    [
      { do: 'send', run_id: 'run-1', text: 'Charge it.' },
      { do: 'approve', tool_call_id: 'call-1', decision: 'denied', by: 'someone' },
      { do: 'queue', submission_id: 'q-1', text: 'And then?', delivery: 'interrupt' },
      { do: 'retract', submission_id: 'q-1' },
      { do: 'cancel', at: 'now' },
      { do: 'resume' },
    ],
    { render_version: 1, freeze: false, ceiling_bytes: 65_536 },
    [
      { after: 'tool_result#2', do: 'steer', text: 'Faster.', send_id: 's-1' },
      { after: 'run_started#1', do: 'queue', submission_id: 'q-2', text: 'Later.', delivery: 'plain' },
      { after: 'queued#1', do: 'retract', submission_id: 'q-2' },
      { after: 'tool_result#2', do: 'cancel', at: 'step_boundary' },
    ],
  );
  expect(asScenario(full)).toBe(full);
});

test('all mistakes are told at once, each with its place', () => {
  const message = told({
    commit: 'sometimes',
    session: { ...scenarioOf([]).session, session_id: '.', tools: [{ ...tool('a b'), kind: 'grpc', argv: [] }], max_steps: 0 },
    script: [{ do: 'recover' }, { do: 'send', run_id: 'run-1' }, { do: 'resume', text: 'x' }, null],
    during: [
      { do: 'steer', text: 'x', after: 'nothing#1' },
      { do: 'send', run_id: 'r', text: 'x', after: 'queued#1' },
      { do: 'cancel', at: 'now' },
    ],
    more: 1,
  });
  for (const part of [
    '/more is not known',
    '/commit is none of each, grouped',
    '/session/session_id is not an id',
    '/session/tools/0/name is not a name',
    '/session/tools/0/kind is none of',
    '/session/tools/0/argv is empty',
    '/session/max_steps is not a number',
    '/script/0/do is none of send, queue, retract, approve, cancel, resume',
    '/script/1/text is missing',
    '/script/2/text is not known',
    '/script/3/do is none of',
    '/during/0/after is not a record and its number',
    '/during/1/do is none of steer, queue, retract, cancel',
    '/during/2/after is missing',
  ])
    expect(message).toContain(part);
});

test.each(['toString', 'constructor', '__proto__', 3, null])('the step %s is none', (name) => {
  expect(told({ ...scenarioOf([]), script: [{ do: name }] })).toContain('/script/0/do is none of');
});
