/** Scenarios of sessions for tests: one tool or more, one message, and a model that asks for calls by what it was told. */
import type { SharedTool } from '../../../contract/types.js';
import type { Message, Reply } from '../../../sessions/testing/strict-provider.js';
import type { During, Scenario, ScriptStep, SessionSettings } from '../scenario.js';

export const tool = (name: string, changes: Partial<SharedTool> = {}): SharedTool => ({
  name,
  description: '',
  arguments: [],
  kind: 'http',
  effect: name,
  argv: null,
  safety: 'side_effect',
  approval: 'never',
  on_unknown: 'interrupt',
  timeout_ms: 20_000,
  ...changes,
});

/** Run by the tool program that the subject brings along. */
export const commandTool = (name: string, changes: Partial<SharedTool> = {}): SharedTool =>
  tool(name, { kind: 'command', effect: null, argv: ['node', 'tools/effect.js', name], ...changes });

export const charge: ScriptStep = { do: 'send', run_id: 'run-1', text: 'charge' };

export function scenarioOf(
  tools: SharedTool[],
  script: ScriptStep[] = [charge],
  settings: Partial<SessionSettings> = {},
  during: During[] = [],
): Scenario {
  return {
    commit: 'each',
    session: {
      session_id: 's-1',
      model: 'synthetic-1',
      system: 'You help.',
      tools,
      batch: 'sequential',
      max_steps: 6,
      model_leg: 'rerun',
      model_attempts: 1,
      model_timeout_ms: 20_000,
      times: false,
      ...settings,
    },
    script,
    during,
  };
}

/** Asks once for a call of each tool that the last message names, and then says that it is done. */
export function asksForWhatItIsTold(conversation: Message[]): Reply {
  const asked = conversation.findLastIndex(({ role }) => role === 'user');
  const names = conversation[asked]?.content?.match(/[a-z]+/g) ?? [];
  const isAnswered = conversation.slice(asked).some(({ role }) => role === 'tool');
  if (isAnswered || names[0] === 'nothing') return { text: 'Done.' };
  return { calls: names.map((name, index) => ({ id: `call-${index + 1}`, name })) };
}
