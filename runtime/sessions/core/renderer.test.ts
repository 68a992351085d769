import { describe, expect, test } from 'vitest';
import { renderRequest } from './renderer.js';
import { runConfig, tool } from './testing/log.js';
import type { Turn } from './transcript.js';

const text = (config: ReturnType<typeof runConfig>, transcript: Turn[]): string => renderRequest(config, transcript).toString();
const hello: Turn = { role: 'user', text: 'Hello é😀' };
const system = '{"content":"You help.","role":"system"}';
const greeting = '{"content":"Hello é😀","role":"user"}';

describe('the bodies of chat-messages, written by hand', () => {
  test('without tools both versions say the same, and nothing of tools', () => {
    const body = `{"messages":[${system},${greeting}],"model":"synthetic-1"}`;
    expect(text(runConfig({}, 1), [hello])).toBe(body);
    expect(text(runConfig({}, 2), [hello])).toBe(body);
    expect(text(runConfig({ batch: 'parallel' }, 2), [hello])).toBe(body);
  });

  const tools = [
    tool('pay', {
      arguments: [
        { name: 'to', type: 'string', required: true },
        { name: 'cents', type: 'integer', required: true },
        { name: 'dry', type: 'boolean', required: false },
      ],
    }),
    tool('look', { arguments: [] }),
  ];
  const offered =
    '[{"function":{"description":"Does pay.","name":"pay","parameters":{"additionalProperties":false,"properties":' +
    '{"cents":{"type":"integer"},"dry":{"type":"boolean"},"to":{"type":"string"}},"required":["to","cents"],"type":"object"}},' +
    '"type":"function"},{"function":{"description":"Does look.","name":"look","parameters":{"additionalProperties":false,' +
    '"properties":{},"required":[],"type":"object"}},"type":"function"}]';
  const calls: Turn[] = [
    { role: 'user', text: 'Pay.' },
    {
      role: 'assistant',
      text: null,
      calls: [
        { id: 'b', name: 'pay', arguments: '{"to": "me", "cents": 5}' },
        { id: 'a', name: 'nosuch', arguments: '' },
      ],
    },
    { role: 'result', toolCallId: 'b', output: 'paid' },
    { role: 'result', toolCallId: 'a', output: '' },
    { role: 'assistant', text: 'Done.', calls: [] },
    { role: 'user', text: 'One.' },
    { role: 'user', text: 'Two.' },
    { role: 'user', text: 'Three.' },
  ];
  const messages =
    `[${system},{"content":"Pay.","role":"user"},{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":` +
    '"{\\"to\\": \\"me\\", \\"cents\\": 5}","name":"pay"},"id":"b","type":"function"},{"function":{"arguments":"","name":"nosuch"},' +
    '"id":"a","type":"function"}]},{"content":"paid","role":"tool","tool_call_id":"b"},{"content":"","role":"tool",' +
    '"tool_call_id":"a"},{"content":"Done.","role":"assistant"},{"content":"One.\\n\\nTwo.\\n\\nThree.","role":"user"}]';

  test('version 1 offers tools and does not speak of parallel calls', () => {
    for (const batch of ['sequential', 'parallel'] as const)
      expect(text(runConfig({ tools, batch }, 1), calls)).toBe(
        `{"messages":${messages},"model":"synthetic-1","tools":${offered}}`,
      );
  });
  test('version 2 says whether calls may be parallel', () => {
    for (const [batch, said] of [
      ['sequential', 'false'],
      ['parallel', 'true'],
    ] as const)
      expect(text(runConfig({ tools, batch }, 2), calls)).toBe(
        `{"messages":${messages},"model":"synthetic-1","parallel_tool_calls":${said},"tools":${offered}}`,
      );
  });

  test('an argument may have a name that means something to the language', () => {
    const odd = [tool('odd', { arguments: [{ name: '__proto__', type: 'string', required: true }] })];
    expect(text(runConfig({ tools: odd }), [hello])).toContain(
      '"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]',
    );
  });

  test('a version that is not in the table is never rendered', () => {
    const config = runConfig();
    const newer = { ...config, render: { ...config.render, version: 3 } };
    expect(() => renderRequest(newer, [hello])).toThrow(/Invariant broken/);
  });
});
