/** What the writers of the small sessions have in common: what a response looks like, what a record requires, how a batch is named. */
import { sessionLogV1 } from '../../contract/data.js';
import type { SharedAssistant } from '../../contract/types.js';
import { canonical } from '../../read/canonical.js';
import type { RecordPayloads, RecordType } from '../../read/session-records.js';

export type Reason = RecordPayloads['tool_no_dispatch']['reason'];
export const done = '{"done":true}';

export function batchOf(step: string): string {
  return step.replace('step', 'batch');
}

export function responseOf({ text, tool_calls }: SharedAssistant): string {
  const calls = tool_calls.map(({ id, name, arguments: given }) => ({
    function: { arguments: given, name },
    id,
    type: 'function',
  }));
  const message = { content: text, role: 'assistant', ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return canonical({ choices: [{ finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', message }] });
}

export function featuresOf(type: RecordType, payload: object): string[] {
  const own = (sessionLogV1.features as Record<string, string>)[type];
  const name = (sessionLogV1.times as Record<string, string>)[type];
  const timed = name !== undefined && Object.hasOwn(payload, name) ? ['tool-times/v1'] : [];
  const isIntent = type === 'run_started' && (payload as RecordPayloads['run_started']).config.model_leg === 'intent';
  return [...(own === undefined ? [] : [own]), ...timed, ...(isIntent ? ['model-intent/v1'] : [])].sort();
}
