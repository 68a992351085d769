/**
 * The recorded configuration of a run is authoritative. Why a resume must refuse before any model request: what was frozen is no longer
 * what would be rendered, or the caller wants another configuration. The first reason that fits. Pure.
 */
import type { SharedSessionDrift } from '../../contract/types.js';
import { parseJson, sameJson } from '../../read/canonical.js';
import { hasExactly, isObject, parsed } from '../values.js';
import type { RunConfig } from './history.js';
import { bundleText, isRendererVersion } from './render.js';

export type FrozenRefusal = 'renderer_version_drift' | 'frozen_render_config_unverifiable' | 'frozen_render_config_drift';

/** By the record alone; null where what was frozen is what renders. */
export function frozenRefusal(config: RunConfig): FrozenRefusal | null {
  const { version, bundle } = config.render;
  if (!isRendererVersion(version)) return 'renderer_version_drift';
  if (bundle === null || !isBundle(bundle, version)) return 'frozen_render_config_unverifiable';
  return bundle === bundleText(config, version) ? null : 'frozen_render_config_drift';
}

/** It can be read: an object with the members of its version. */
function isBundle(text: string, version: number): boolean {
  const value = parsed(() => parseJson(text));
  const names = ['model', 'system', 'tools', ...(version === 1 ? [] : ['parallel_tool_calls'])];
  return isObject(value) && hasExactly(value, names);
}

const compared: Readonly<Record<Exclude<SharedSessionDrift, 'session_id'>, (config: RunConfig) => unknown>> = {
  model: ({ model }) => model,
  system: ({ system }) => system,
  tools: ({ tools }) => tools,
  batch: ({ batch }) => batch,
  max_steps: ({ max_steps: steps }) => steps,
  model_leg: ({ model_leg: leg }) => leg,
  model_attempts: ({ model_attempts: attempts }) => attempts,
  renderer: ({ render: { name, version } }) => [name, version],
  provider: ({ provider }) => provider,
  times: ({ times }) => times,
};

/** In what the caller's configuration differs from the recorded one, in the order of the contract; empty where it does not conflict. */
export function driftOf(recorded: RunConfig, callers: RunConfig): SharedSessionDrift[] {
  const names = Object.keys(compared) as (keyof typeof compared)[];
  return names.filter((name) => !sameJson(compared[name](recorded), compared[name](callers)));
}
