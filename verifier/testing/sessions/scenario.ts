/**
 * What the sessions of the small world were asked for: their tools, their configurations, and the scripts that the provider follows.
 */
import type { Plan, SharedRunConfig, SharedTool } from '../../contract/types.js';
import { canonical } from '../../read/canonical.js';

const tool = (name: string, more: Partial<SharedTool> = {}): SharedTool => ({
  ...{ name, description: `Does ${name}.`, arguments: [{ name: 'amount', type: 'integer', required: true }] },
  ...{ kind: 'http', effect: name, argv: null, safety: 'side_effect', approval: 'never', on_unknown: 'interrupt' },
  ...{ timeout_ms: 1000, ...more },
});

const tools = {
  charge: tool('charge'),
  refund: tool('refund', { approval: 'required' }),
  wipe: tool('wipe', { approval: 'blocked' }),
  look: tool('look', { safety: 'pure', on_unknown: 'continue' }),
  local: tool('local', { kind: 'command', effect: null, argv: ['local-program'], arguments: [] }),
};

export const sessionId = 's-1';
const settings = {
  ...{ session_id: sessionId, model: 'synthetic-1', system: 'You help.', tools: Object.values(tools) },
  ...{ batch: 'sequential', max_steps: 4, model_leg: 'rerun', model_attempts: 2, model_timeout_ms: 1000 },
  ...{ times: false, render_version: 2, freeze: true, ceiling_bytes: null },
} as const;

interface Settings {
  readonly session_id?: string;
  readonly batch?: 'sequential' | 'parallel';
  readonly max_steps?: number;
  readonly model_leg?: 'rerun' | 'intent';
  readonly model?: string;
  readonly times?: boolean;
  readonly freeze?: boolean;
}

type Action = Readonly<Record<string, string>>;

function scenario(
  session: Settings,
  script: readonly Action[],
  during: readonly Action[] = [],
  commit = 'each' as 'each' | 'grouped',
) {
  return { commit, during, script, session: { ...settings, ...session } };
}

const text = 'Charge seven.';
const send: Action = { do: 'send', run_id: 'run-a', text };

export const scenarios = {
  plain: scenario({}, [send]),
  grouped: scenario({}, [send], [], 'grouped'),
  intent: scenario({ model_leg: 'intent' }, [send]),
  parallel: scenario({ batch: 'parallel', times: true }, [send]),
  short: scenario({ max_steps: 1 }, [send]),
  thawed: scenario({ freeze: false }, [send]),
  other: scenario({ model: 'synthetic-2' }, [send]),
  elsewhere: scenario({ session_id: 's-2' }, [send]),
  cancelled: scenario({}, [send], [{ after: 'step_started#1', do: 'cancel', at: 'step_boundary' }]),
  inbox: scenario(
    {},
    [
      { do: 'queue', submission_id: 'sub-1', text: 'Then this.', delivery: 'plain' },
      { do: 'queue', submission_id: 'sub-2', text: 'Never mind.', delivery: 'plain' },
      { do: 'retract', submission_id: 'sub-2' },
      { do: 'queue', submission_id: 'sub-3', text: 'First this.', delivery: 'interrupt' },
      send,
    ],
    [{ after: 'tool_result#1', do: 'steer', text: 'Only seven.', send_id: 'steer-1' }],
  ),
};

export type ScenarioName = keyof typeof scenarios;

/** As every run of a scenario records it. */
export function configOf(name: ScenarioName): SharedRunConfig {
  const {
    session_id: _id,
    render_version: version,
    freeze,
    ceiling_bytes: _ceiling,
    tools: list,
    ...rest
  } = scenarios[name].session;
  const { model, system, batch } = rest;
  const shared = { model, parallel_tool_calls: batch === 'parallel', system, tools: offered(list) };
  const bundle = freeze ? canonical(shared) : null;
  return {
    ...{ ...rest, provider: { path: '/v1/chat/completions' }, tools: [...structuredClone(list)] },
    render: { name: 'chat-messages', version, bundle },
  } as SharedRunConfig;
}

/** As a request shows them. */
export function offered(list: readonly SharedTool[]): object[] {
  return list.map(({ name, description, arguments: wanted }) => ({
    function: {
      ...{ description, name },
      parameters: {
        ...{ additionalProperties: false, type: 'object' },
        properties: Object.fromEntries(wanted.map((one) => [one.name, { type: one.type }])),
        required: wanted.filter(({ required }) => required).map((one) => one.name),
      },
    },
    type: 'function',
  }));
}

export const charge = { id: 'call-1', name: 'charge', arguments: '{"amount":7}' };
export const refund = { id: 'call-1', name: 'refund', arguments: '{"amount":7}' };
export const asking = (...calls: { id: string; name: string; arguments: string }[]) => ({ text: null, tool_calls: calls });
export const saying = (said: string) => ({ text: said, tool_calls: [] });

const ignores = { key: 'ignore', strict: true, otherwise: { do: 'answer', text: 'Done.' } } as const;
const effects = (...requests: Plan['providers'][string]['requests']) => ({ requests, otherwise: { do: 'answer' } as const });
const charging: Plan['providers'][string]['requests'] = [{ do: 'answer', tool_calls: [charge] }];
const rest = { charge: effects(), refund: effects(), look: effects(), local: effects() };

export const scripts = {
  /** The model asks for the charge and then says that it is done. */
  charges: { ...ignores, requests: [...charging], effects: rest },
  answers: { ...ignores, requests: [], effects: rest },
  holdsTool: { ...ignores, requests: [...charging], effects: { ...rest, charge: effects({ do: 'hold', effect: 'committed' }) } },
  holdsModel: { ...ignores, requests: [{ do: 'hold', effect: 'committed' }], effects: rest },
  dropsTool: { ...ignores, requests: [...charging], effects: { ...rest, charge: effects({ do: 'drop', when: 'after_commit' }) } },
  fails: { ...ignores, requests: [{ do: 'status', status: 500 }, ...charging], effects: rest },
  pair: { ...ignores, requests: [{ do: 'answer', tool_calls: [charge, { ...charge, id: 'call-2' }] }], effects: rest },
  refunds: {
    ...ignores,
    requests: [{ do: 'answer' as const, tool_calls: [{ id: 'call-1', name: 'refund', arguments: '{"amount":7}' }] }],
    effects: rest,
  },
  several: {
    ...ignores,
    requests: [
      {
        do: 'answer',
        tool_calls: [
          { id: 'call-1', name: 'look', arguments: '{"amount":7}' },
          { id: 'call-2', name: 'wipe', arguments: '{"amount":7}' },
          { id: 'call-3', name: 'none', arguments: '{}' },
          { id: 'call-4', name: 'charge', arguments: '{"amount":"7"}' },
          { id: 'call-5', name: 'local', arguments: '{}' },
          { id: 'call-6', name: 'charge', arguments: '{"amount":7}' },
        ],
      },
    ],
    effects: { ...rest, look: effects({ do: 'drop', when: 'before_commit' }) },
  },
} satisfies Plan['providers'];

export type ScriptName = keyof typeof scripts;
