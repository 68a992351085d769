import { describe, expect, it } from 'vitest';
import { conversationWrong } from '../conversation.js';
import { began, config, ofRun, recordsOf, tool, type Written } from '../../testing/session-records.js';
import { historyOf } from './fold.js';
import type { RunConfig, Step } from './history.js';
import { bundleText, requestOf, requestText } from './render.js';
import { transcriptOf } from './transcript.js';

const a = ofRun('run-a');
const b = ofRun('run-b');
const history = (...all: Written[]) => historyOf(recordsOf(...all));

/** The messages of the last step, the system text left out, each as one line. */
function lines(...all: Written[]): string[] {
  const told = history(...all);
  const messages = transcriptOf(told, [...told.stepsById.values()].at(-1) as Step);
  return messages.slice(1).map((message) => {
    if (message.role === 'tool') return `tool ${message.tool_call_id}: ${message.content}`;
    const calls = message.role === 'assistant' ? message.tool_calls?.map(({ id }) => ` ${id}`).join('') : '';
    return `${message.role}: ${message.content}${calls ?? ''}`;
  });
}

const turn = (n: number, ...ids: string[]) => [
  ...[a.asks(n, ...ids.map((id) => [id] as const)), a.plans(n, 'sequential', ...ids.map((id) => [id] as const))],
  ...ids.map((id) => a.intends(n, id)),
];

describe('the body of a request', () => {
  it('of a first step, with tools, in version 2', () => {
    const told = history(began({ text: 'Charge seven.', config: { tools: [tool('charge')] } }), a.step(3));
    expect(requestOf(told, told.stepsById.get('step-3') as Step)).toEqual({
      text:
        '{"messages":[{"content":"You help.","role":"system"},{"content":"Charge seven.","role":"user"}],"model":"synthetic-1",' +
        '"parallel_tool_calls":false,"tools":[{"function":{"description":"Does charge.","name":"charge","parameters":' +
        '{"additionalProperties":false,"properties":{"amount":{"type":"integer"}},"required":["amount"],"type":"object"}},"type":"function"}]}',
      sha256: '3273096990485dd347ca9a5d07ac303f8037e99d1339b15dc1bd898989befed7',
    });
  });

  it('of a step after a call, without tools', () => {
    const none = { config: { tools: [] } };
    const told = history(
      began({ ...none, text: 'Go.' }),
      a.step(3),
      ...turn(3, 'c-1'),
      a.result(3, 'c-1'),
      a.batched(3),
      a.turned(3),
      a.step(10),
    );
    expect(requestOf(told, told.stepsById.get('step-10') as Step)?.text).toBe(
      '{"messages":[{"content":"You help.","role":"system"},{"content":"Go.","role":"user"},' +
        '{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\\"amount\\":7}","name":"charge"},"id":"c-1","type":"function"}]},' +
        '{"content":"done","role":"tool","tool_call_id":"c-1"}],"model":"synthetic-1"}',
    );
  });

  it('shows optional members, several types and the order of the configuration', () => {
    const wanted: RunConfig['tools'][number]['arguments'] = [
      { name: 'why', type: 'string', required: false },
      { name: 'sure', type: 'boolean', required: true },
      { name: 'amount', type: 'integer', required: true },
    ];
    const text = requestText(config({ tools: [tool('pay', { arguments: wanted })], batch: 'parallel' }), [], 1);
    expect(text).toBe(
      '{"messages":[],"model":"synthetic-1","tools":[{"function":{"description":"Does pay.","name":"pay","parameters":' +
        '{"additionalProperties":false,"properties":{"amount":{"type":"integer"},"sure":{"type":"boolean"},"why":{"type":"string"}},' +
        '"required":["sure","amount"],"type":"object"}},"type":"function"}]}',
    );
  });

  it.each([
    ['version 2, parallel', 2, 'parallel', true],
    ['version 2, sequential', 2, 'sequential', false],
    ['version 1', 1, 'parallel', undefined],
  ] as const)('says in %s whether calls may be parallel', (_what, version, batch, wanted) => {
    const text = requestText(config({ batch }), [], version) ?? '';
    expect((JSON.parse(text) as { parallel_tool_calls?: boolean }).parallel_tool_calls).toBe(wanted);
    expect(requestText(config({ batch, tools: [] }), [], version)).toBe('{"messages":[],"model":"synthetic-1"}');
  });

  it('of a version that is not known is none', () => {
    const told = history(began({ config: { render: { name: 'chat-messages', version: 3, bundle: null } } }), a.step(3));
    expect([
      requestOf(told, told.stepsById.get('step-3') as Step),
      bundleText(config(), 3),
      requestText(config(), [], 0),
    ]).toEqual([null, null, null]);
  });
});

describe('what is frozen', () => {
  it('is what every request of the run shares, tools or not', () => {
    expect(bundleText(config({ tools: [] }), 2)).toBe(
      '{"model":"synthetic-1","parallel_tool_calls":false,"system":"You help.","tools":[]}',
    );
    expect(bundleText(config({ tools: [] }), 1)).toBe('{"model":"synthetic-1","system":"You help.","tools":[]}');
    expect(bundleText(config({ tools: [tool('charge')], batch: 'parallel' }), 2)).toBe(
      '{"model":"synthetic-1","parallel_tool_calls":true,"system":"You help.","tools":[{"function":{"description":"Does charge.",' +
        '"name":"charge","parameters":{"additionalProperties":false,"properties":{"amount":{"type":"integer"}},"required":["amount"],' +
        '"type":"object"}},"type":"function"}]}',
    );
  });
});

describe('a transcript', () => {
  it('begins with the system text of the run', () => {
    const told = history(began(), a.ends(), began({ run: 'run-b', config: { system: 'You refuse.' } }), b.step(5));
    expect(transcriptOf(told, told.stepsById.get('step-5') as Step)[0]).toEqual({ role: 'system', content: 'You refuse.' });
  });

  it.each<[string, Written[], string[]]>([
    ['has the input', [began(), a.step(3)], ['user: Hello.']],
    [
      'has an answer without calls, then the next input',
      [began(), a.step(3), a.says(3, 'Fine.'), a.turned(3), a.ends(), began({ run: 'run-b' }), b.step(8)],
      ['user: Hello.', 'assistant: Fine.', 'user: Hello.'],
    ],
    [
      'joins inputs of runs without an answer',
      [began(), a.ends('error'), began({ run: 'run-b', text: 'Again.' }), b.step(5)],
      ['user: Hello.\n\nAgain.'],
    ],
    ['leaves out a step that was run again', [began(), a.step(3), a.step(4)], ['user: Hello.']],
    [
      'leaves out a batch that is not finished',
      [began(), a.step(3), ...turn(3, 'c'), a.result(3, 'c'), a.step(8)],
      ['user: Hello.'],
    ],
    [
      'has a batch that is finished, in the order of the message',
      [
        began(),
        a.step(3),
        ...turn(3, 'c', 'd'),
        a.result(3, 'd', 'completed', 'second'),
        a.result(3, 'c', 'completed', 'first'),
        a.batched(3),
        a.step(11),
      ],
      ['user: Hello.', 'assistant: null c d', 'tool c: first', 'tool d: second'],
    ],
    [
      'has the text of what was not dispatched',
      [
        began(),
        a.step(3),
        a.asks(3, ['c', 'wipe']),
        a.plans(3, 'sequential', ['c', 'wipe', 'policy_blocked']),
        a.leaves(3, 'c', 'policy_blocked'),
        a.batched(3),
        a.step(8),
      ],
      ['user: Hello.', 'assistant: null c', 'tool c: This call was not dispatched: the policy of this session forbids it.'],
    ],
    [
      'has the output of what nobody knows',
      [began(), a.step(3), ...turn(3, 'c'), a.result(3, 'c', 'unknown', 'Nobody knows.'), a.batched(3), a.step(9)],
      ['user: Hello.', 'assistant: null c', 'tool c: Nobody knows.'],
    ],
    ['joins a steer to an input that nobody answered', [began(), a.steers('More.'), a.step(4)], ['user: Hello.\n\nMore.']],
    [
      'joins two steers',
      [began(), a.step(3), ...turn(3, 'c'), a.steers('One.'), a.steers('Two.'), a.result(3, 'c'), a.batched(3), a.step(11)],
      ['user: Hello.', 'assistant: null c', 'tool c: done', 'user: One.\n\nTwo.'],
    ],
    [
      'places a steer before the first step whose watermark is past it',
      [began(), a.step(3), a.steers('More.'), ...turn(3, 'c'), a.result(3, 'c'), a.batched(3), a.step(10)],
      ['user: Hello.', 'assistant: null c', 'tool c: done', 'user: More.'],
    ],
    ['leaves a steer out that the watermark has not reached', [began(), a.steers('More.'), a.step(4, 2)], ['user: Hello.']],
    [
      'places it at the end of a run without a further step',
      [
        began(),
        a.step(3),
        a.steers('More.'),
        a.says(3, 'Fine.'),
        a.turned(3),
        a.ends(),
        began({ run: 'run-b', text: 'Next.' }),
        b.step(9),
      ],
      ['user: Hello.', 'assistant: Fine.', 'user: More.\n\nNext.'],
    ],
    [
      'places it where the step began that was run again',
      [
        began(),
        a.step(3),
        a.steers('More.'),
        a.step(5),
        a.says(5, 'Fine.'),
        a.turned(5),
        a.ends(),
        began({ run: 'run-b', text: 'Next.' }),
        b.step(10),
      ],
      ['user: Hello.\n\nMore.', 'assistant: Fine.', 'user: Next.'],
    ],
    [
      'has a result of a closed run before the next input',
      [
        began(),
        a.step(3),
        ...turn(3, 'c'),
        a.result(3, 'c', 'unknown', 'Nobody knows.'),
        a.batched(3),
        a.turned(3),
        a.ends('interrupted'),
        began({ run: 'run-b', text: 'Next.' }),
        b.step(12),
      ],
      ['user: Hello.', 'assistant: null c', 'tool c: Nobody knows.', 'user: Next.'],
    ],
    [
      'goes up to the watermark',
      [began(), a.step(3), ...turn(3, 'c'), a.result(3, 'c'), a.batched(3), a.step(9, 7)],
      ['user: Hello.'],
    ],
  ])('%s', (_what, all, wanted) => {
    expect(lines(...all)).toEqual(wanted);
    const told = history(...all);
    expect(conversationWrong(transcriptOf(told, [...told.stepsById.values()].at(-1) as Step))).toBeNull();
  });

  it('of a step sees nothing of later runs', () => {
    const told = history(began(), a.step(3), a.says(3, 'Fine.'), a.ends(), began({ run: 'run-b' }));
    expect(transcriptOf(told, told.stepsById.get('step-3') as Step)).toHaveLength(2);
  });
});
