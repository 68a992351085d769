/** Opens the runtime of a role as its scenario says, with the parking place in the commit listener. */
import { openRuntime, type Runtime } from '../../calls/runtime.js';
import { checkpoints } from '../../contract/data.js';
import { asScenario, type Scenario } from './scenario.js';
import type { RoleContext } from '../kit/role.js';

const { committed, read } = checkpoints['calls/v1'];

/** Every place where a role of this subject can be parked. */
export const parkingPlaces: readonly string[] = [...committed, ...read];

export function openFor(context: RoleContext, create: boolean): { runtime: Runtime; scenario: Scenario } {
  const { environment, parking, using } = context;
  const scenario = asScenario(environment.scenario);
  const { call } = scenario;
  const runtime = openRuntime({
    directory: environment.state,
    create,
    commit: scenario.commit,
    provider: {
      url: environment.providerUrl ?? '',
      model: call?.model ?? '',
      system: call?.system ?? '',
      honoursKey: call?.honours_key ?? false,
      ...(call && { timeoutMs: call.timeout_ms }),
    },
    context: { budgetTokens: scenario.context.budget_tokens, rendererVersion: scenario.context.renderer_version ?? 1 },
    ...(call && { retry: call.retry }),
    ...(call?.max_request_bytes !== undefined && { maxRequestBytes: call.max_request_bytes }),
    onCommitted: (events) => parking.passed(events.map((event) => event.type)),
  });
  using(runtime.settings);
  return { runtime, scenario };
}
