/** The configuration that a caller wants, as its scenario says it; null where the scenario says none. */
import type { RunConfig } from '../../model/sessions/history.js';
import { bundleText } from '../../model/sessions/render.js';
import { isObject, memberOf } from '../../model/values.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';

export function callersConfig({ planned }: Snapshot, { plan }: Bundle): RunConfig | null {
  const session = memberOf(plan.value?.scenarios[planned.scenario], 'session');
  if (!isObject(session)) return null;
  const wanted = session as unknown as RunConfig & { readonly render_version?: number; readonly freeze?: boolean };
  const { render_version: version = 2, freeze } = wanted;
  const bundle = freeze === false ? null : bundleText(wanted, version);
  return { ...wanted, provider: { path: '/v1/chat/completions' }, render: { name: 'chat-messages', version, bundle } };
}
