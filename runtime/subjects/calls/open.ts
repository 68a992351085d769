/** Opens the runtime of a role as its scenario says, with the parking places in front of it and in its commit listener. */
import { openRuntime, type Runtime } from '../../calls/api/runtime.js';
import { asScenario, type Scenario } from './scenario.js';
import type { SettingsFrom } from '../../calls/recovery/options.js';
import type { RoleContext } from '../kit/role.js';
import type { Ask } from './operations/wanted.js';

/** A name that no resolver knows: where nobody named a provider, nothing can be sent, whoever tries. */
const nowhere = 'http://provider.invalid';

type Options = Parameters<typeof openRuntime>[0];

export function openFor(context: RoleContext, create: boolean): { runtime: Runtime; scenario: Scenario } {
  const scenario = asScenario(context.environment.scenario);
  return { runtime: open(context, { ...settingsOf(context, scenario, null), create }), scenario };
}

/** For an operation: by the settings of the scenario, or, without one, by those on record. */
export function openForOperation(context: RoleContext, ask: Ask | null): { runtime: Runtime; settings: SettingsFrom } {
  const { scenario } = context.environment;
  const settings = scenario === null ? 'recorded' : 'today';
  return { runtime: open(context, settingsOf(context, scenario === null ? null : asScenario(scenario), ask)), settings };
}

function open({ environment, parking, using }: RoleContext, options: Omit<Options, 'directory' | 'onCommitted'>): Runtime {
  parking.passed(['role.ready']);
  const runtime = openRuntime({
    ...options,
    directory: environment.state,
    onCommitted: (events) => {
      // By now the connection that writes has taken the place of the one that looked.
      using(runtime.settings);
      parking.passed(['commit', ...events.map((event) => event.type)]);
    },
  });
  using(runtime.settings);
  return runtime;
}

function settingsOf(
  { environment }: RoleContext,
  scenario: Scenario | null,
  ask: Ask | null,
): Omit<Options, 'directory' | 'onCommitted'> {
  const url = environment.providerUrl ?? nowhere;
  const how = ask ?? scenario?.call?.reconcile ?? 'none';
  if (scenario === null) return { provider: { url, model: '', reconcile: how }, context: { budgetTokens: 0 } };
  const { call, commit, context } = scenario;
  return {
    commit,
    provider: {
      url,
      model: call?.model ?? '',
      system: call?.system ?? '',
      honoursKey: call?.honours_key ?? false,
      reconcile: how,
      ...(call && { timeoutMs: call.timeout_ms }),
      ...(call?.tools && { tools: call.tools }),
    },
    context: {
      budgetTokens: context.budget_tokens,
      rendererVersion: context.renderer_version ?? 1,
      ...(context.tokenizer && { tokenizer: context.tokenizer }),
    },
    ...(call && { retry: call.retry }),
    ...(call?.max_request_bytes !== undefined && { maxRequestBytes: call.max_request_bytes }),
  };
}
