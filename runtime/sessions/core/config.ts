/**
 * The configuration of a run: what may be recorded, what freezes a request, and what refuses one.
 *
 * The recorded configuration is authoritative. A run is rendered from its record and from nothing that a caller, a catalogue or a newer
 * program says today; where that cannot be done to the byte, nothing is sent.
 */
import { canonical } from '../../core/canonical.js';
import { RuntimeError } from '../../core/errors.js';
import { parseObject } from '../../core/untrusted-json.js';
import { shapeProblem } from './records.js';
import { bundleMembers, knownVersion, sharedParts, type RenderVersion } from './renderer.js';
import type { RunConfig, SessionDrift, SessionRefusal, Tool } from './vocabulary.js';

/** The configuration, or `input-invalid` with the first thing that is wrong with it. `named`: what the caller calls a place in it. */
export function demandConfig(config: unknown, named: (pointer: string) => string = (pointer) => pointer.slice(1)): RunConfig {
  const problem = shapeProblem('run_started', { run_id: 'run', session_id: 'session', config, input: { text: 'text' } });
  if (problem !== null)
    refuse(problem.replace(/^\/config(\/?\S*)/, (_all, pointer: string) => (pointer === '' ? 'it' : named(pointer))));
  const checked = config as RunConfig;
  canonical(checked);
  const names = checked.tools.map(({ name }) => name);
  const twice = repeated(names);
  if (twice !== null) refuse(`two tools are named ${twice}`);
  for (const tool of checked.tools) demandTool(tool);
  return checked;
}

function demandTool(tool: Tool): void {
  const twice = repeated(tool.arguments.map(({ name }) => name));
  if (twice !== null) refuse(`tool ${tool.name} declares the argument ${twice} twice`);
  if (tool.on_unknown === 'continue' && tool.safety === 'side_effect')
    refuse(`tool ${tool.name} may not continue after an unknown outcome, since it has a side effect`);
  if (tool.kind === 'http' && (tool.effect === null || tool.argv !== null))
    refuse(`tool ${tool.name} is called over HTTP, so it needs an effect and no argv`);
  if (tool.kind === 'command' && (tool.argv === null || tool.effect !== null))
    refuse(`tool ${tool.name} is a command, so it needs an argv and no effect`);
  // A NUL ends a string for the operating system: another program than the recorded one would be started.
  if (tool.argv?.some((part) => part.includes('\0')) === true) refuse(`the argv of tool ${tool.name} holds a NUL`);
}

function repeated(names: readonly string[]): string | null {
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}

function refuse(what: string): never {
  throw new RuntimeError('input-invalid', `The configuration cannot be used: ${what}. Correct it and try again.`);
}

/** What `render.bundle` holds, as this renderer makes it of a configuration. */
export function frozenBundle(config: Omit<RunConfig, 'render'>, version: RenderVersion): string {
  return canonical(sharedParts(config, version));
}

export interface RenderRefusal {
  reason: Extract<SessionRefusal, 'renderer_version_drift' | 'frozen_render_config_unverifiable' | 'frozen_render_config_drift'>;
  /** One sentence. */
  detail: string;
}

/** Why no request of a recorded run can be made here; null where its requests are those that were frozen. */
export function renderRefusal(config: RunConfig): RenderRefusal | null {
  const { name, version, bundle } = config.render;
  const known = knownVersion(version);
  if (known === null)
    return {
      reason: 'renderer_version_drift',
      detail: `The run was recorded with version ${version} of ${name}, which this program does not have; resume it with one that has.`,
    };
  if (bundle === null || !isBundle(bundle, known))
    return {
      reason: 'frozen_render_config_unverifiable',
      detail:
        'The run holds no frozen request settings that can be read, so nobody can tell whether a request would be the same.',
    };
  if (bundle !== frozenBundle(config, known))
    return {
      reason: 'frozen_render_config_drift',
      detail: `Version ${version} of ${name} makes other request settings of the recorded configuration than those that were frozen.`,
    };
  return null;
}

/** It can be read: an object with the members that its version has. */
function isBundle(text: string, version: RenderVersion): boolean {
  const value = parseObject(Buffer.from(text, 'utf8'));
  return value !== null && Object.keys(value).toSorted().join() === bundleMembers(version).join();
}

/** In the order in which they are named. A time-out changes no request and has no name: the recorded one counts, whatever a caller says. */
const compared: readonly { drift: SessionDrift; of: (config: RunConfig) => unknown }[] = [
  { drift: 'model', of: ({ model }) => model },
  { drift: 'system', of: ({ system }) => system },
  { drift: 'tools', of: ({ tools }) => tools },
  { drift: 'batch', of: ({ batch }) => batch },
  { drift: 'max_steps', of: ({ max_steps: steps }) => steps },
  { drift: 'model_leg', of: ({ model_leg: leg }) => leg },
  { drift: 'model_attempts', of: ({ model_attempts: attempts }) => attempts },
  { drift: 'renderer', of: ({ render: { name, version } }) => [name, version] },
  { drift: 'provider', of: ({ provider }) => provider },
  { drift: 'times', of: ({ times }) => times },
];

/** What a caller asks for that is not what was recorded. A session id is no part of a configuration and is compared beside this. */
export function configConflicts(recorded: RunConfig, wanted: RunConfig): SessionDrift[] {
  return compared.filter(({ of }) => canonical(of(recorded)) !== canonical(of(wanted))).map(({ drift }) => drift);
}
