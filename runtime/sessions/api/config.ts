/** The options of a session, checked before anything is opened, and its configuration as one that may be recorded. */
import { demand, demandMembers, type Members } from '../../core/demands.js';
import { demandConfig, frozenBundle } from '../core/config.js';
import { knownVersion, newestVersion, rendererName } from '../core/renderer.js';
import type { RunConfig, Tool } from '../core/vocabulary.js';
import { timeoutMsMax } from '../tools/outcome.js';
import { demandCount, demandFlag, demandId, demandList, demandOneOf, demandText, demandUrl } from './demands.js';
import type { SessionConfig, SessionOptions, SessionTool } from './options.js';

const path = '/v1/chat/completions';
const timeoutMsDefault = 120_000;

/** Each of them, or the compiler says which is missing. */
const sessionMembers = Object.keys({
  sessionId: true,
  create: true,
  config: true,
  providerUrl: true,
  commit: true,
  ceilingBytes: true,
  toolEnvironment: true,
  floorFolder: true,
  onCommitted: true,
} satisfies Members<SessionOptions>);
const configMembers = Object.keys({
  model: true,
  system: true,
  tools: true,
  batch: true,
  maxSteps: true,
  modelLeg: true,
  modelAttempts: true,
  modelTimeoutMs: true,
  times: true,
  renderVersion: true,
  freeze: true,
} satisfies Members<SessionConfig>);
const toolMembers = Object.keys({
  name: true,
  description: true,
  arguments: true,
  kind: true,
  effect: true,
  argv: true,
  safety: true,
  approval: true,
  onUnknown: true,
  timeoutMs: true,
} satisfies Members<SessionTool>);
const argumentMembers = ['name', 'type', 'required'];

/** Everything but the configuration; null stands for a member that was left out where its type says so, and nowhere else. */
export function demandOptions(options: SessionOptions): void {
  demandMembers('options', options, sessionMembers, '');
  const { sessionId, create, providerUrl, commit, ceilingBytes, toolEnvironment, floorFolder, onCommitted } = options;
  if (sessionId !== undefined) demandId('sessionId', sessionId);
  if (create !== undefined) demandFlag('create', create);
  if (providerUrl != null) demandUrl(providerUrl);
  if (commit !== undefined) demandOneOf('commit', commit, ['grouped', 'each']);
  if (ceilingBytes != null) demandCount('ceilingBytes', ceilingBytes);
  if (toolEnvironment !== undefined) demandEnvironment(toolEnvironment);
  if (floorFolder != null) demandText('floorFolder', floorFolder);
  demand(onCommitted === undefined || typeof onCommitted === 'function', 'onCommitted is not a function.');
}

function demandEnvironment(variables: Readonly<Record<string, unknown>>): void {
  demandMembers('toolEnvironment', variables, Object.keys(variables ?? {}));
  for (const [name, value] of Object.entries(variables)) {
    // Either would be another variable, or none, for the operating system.
    demand(
      name !== '' && !/[=\0]/.test(name),
      `toolEnvironment holds a name that no variable can have: ${JSON.stringify(name)}.`,
    );
    demand(typeof value === 'string' && !value.includes('\0'), `toolEnvironment.${name} is not a text without NUL.`);
  }
}

export function runConfigOf(options: SessionConfig): RunConfig {
  demandMembers('config', options, configMembers);
  const { tools = [], renderVersion = newestVersion, freeze = true, modelTimeoutMs = timeoutMsDefault } = options;
  demandList('config.tools', tools);
  demandFlag('config.freeze', freeze);
  const shared: Omit<RunConfig, 'render'> = {
    model: options.model,
    system: orElse(options.system, ''),
    tools: tools.map((tool, index) => toolOf(tool, `config.tools[${index}]`)),
    batch: orElse(options.batch, 'sequential'),
    max_steps: orElse(options.maxSteps, 16),
    model_leg: orElse(options.modelLeg, 'rerun'),
    model_attempts: orElse(options.modelAttempts, 1),
    model_timeout_ms: modelTimeoutMs,
    provider: { path },
    times: orElse(options.times, false),
  };
  const version = knownVersion(renderVersion);
  demand(version !== null, `config.renderVersion is not known: the renderer ${rendererName} has no version ${renderVersion}.`);
  demandCount('config.modelTimeoutMs', modelTimeoutMs, timeoutMsMax);
  const render = { name: rendererName, version, bundle: null } as const;
  // First without its bundle: what cannot be recorded cannot be frozen either.
  const checked = demandConfig({ ...shared, render }, optionName);
  return freeze ? { ...checked, render: { ...render, bundle: frozenBundle(checked, version) } } : checked;
}

/** A copy: what is recorded must not change with the caller's object. */
function toolOf(tool: SessionTool, place: string): Tool {
  demandMembers(place, tool, toolMembers);
  const { arguments: declared = [], effect = null, argv = null, timeoutMs = timeoutMsDefault } = tool;
  demandList(`${place}.arguments`, declared);
  if (argv !== null) demandList(`${place}.argv`, argv);
  demandCount(`${place}.timeoutMs`, timeoutMs, timeoutMsMax);
  return {
    name: tool.name,
    description: orElse(tool.description, ''),
    arguments: declared.map((argument, index) => {
      demandMembers(`${place}.arguments[${index}]`, argument, argumentMembers);
      return { name: argument.name, type: argument.type, required: argument.required };
    }),
    kind: tool.kind,
    effect,
    // An empty one is refused with the rest of the configuration.
    argv: argv === null ? null : ([...argv] as unknown as Tool['argv']),
    safety: orElse(tool.safety, 'side_effect'),
    approval: orElse(tool.approval, 'never'),
    on_unknown: orElse(tool.onUnknown, 'interrupt'),
    timeout_ms: timeoutMs,
  };
}

/** For what was left out only: null is no word for a default, and is refused with the rest of the configuration. */
function orElse<T>(value: T | undefined, byDefault: T): T {
  return value === undefined ? byDefault : value;
}

/** From the place in what would be recorded to the name that the caller gave it: `/tools/1/on_unknown` is `config.tools[1].onUnknown`. */
function optionName(pointer: string): string {
  const camel = (word: string): string => word.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  const parts = pointer.split('/').slice(1);
  return parts.reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${camel(part)}`), 'config');
}
