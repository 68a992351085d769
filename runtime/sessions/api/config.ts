/** The options of a session as a configuration that may be recorded, checked before anything is opened. */
import { RuntimeError } from '../../core/errors.js';
import { demandConfig, frozenBundle, type RunConfig } from '../core/config.js';
import { knownVersion, newestVersion, rendererName } from '../core/renderer.js';
import type { Tool } from '../core/vocabulary.js';
import { timeoutMsMax } from '../tools/outcome.js';
import type { SessionConfig, SessionTool } from './options.js';
import { idPattern } from '../../core/ids.js';

const path = '/v1/chat/completions';
const timeoutMsDefault = 120_000;
export function runConfigOf(options: SessionConfig): RunConfig {
  const { renderVersion = newestVersion, freeze = true, modelTimeoutMs = timeoutMsDefault } = options;
  const shared: Omit<RunConfig, 'render'> = {
    model: options.model,
    system: options.system ?? '',
    tools: (options.tools ?? []).map(toolOf),
    batch: options.batch ?? 'sequential',
    max_steps: options.maxSteps ?? 16,
    model_leg: options.modelLeg ?? 'rerun',
    model_attempts: options.modelAttempts ?? 1,
    model_timeout_ms: modelTimeoutMs,
    provider: { path },
    times: options.times ?? false,
  };
  const version = knownVersion(renderVersion);
  demand(version !== null, `The renderer ${rendererName} has no version ${renderVersion}.`);
  const render = { name: rendererName, version, bundle: null } as const;
  // First without its bundle: what cannot be recorded cannot be frozen either.
  const checked = demandConfig({ ...shared, render });
  for (const { timeout_ms: timeoutMs } of [...checked.tools, { timeout_ms: modelTimeoutMs }])
    demand(timeoutMs <= timeoutMsMax, `A time-out is not between 1 and ${timeoutMsMax} milliseconds.`);
  return freeze ? { ...checked, render: { ...render, bundle: frozenBundle(checked, version) } } : checked;
}

/** A copy: what is recorded must not change with the caller's object. */
function toolOf(tool: SessionTool): Tool {
  return {
    name: tool.name,
    description: tool.description ?? '',
    arguments: (tool.arguments ?? []).map(({ name, type, required }) => ({ name, type, required })),
    kind: tool.kind,
    effect: tool.effect ?? null,
    // An empty one is refused with the rest of the configuration.
    argv: tool.argv == null ? null : ([...tool.argv] as unknown as Tool['argv']),
    safety: tool.safety ?? 'side_effect',
    approval: tool.approval ?? 'never',
    on_unknown: tool.onUnknown ?? 'interrupt',
    timeout_ms: tool.timeoutMs ?? timeoutMsDefault,
  };
}

/** Says no more of a URL than it must: it may hold a password. */
export function demandUrl(url: string | null): void {
  if (url === null) return;
  demand(
    typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url),
    "The provider's URL is not an http or https URL.",
  );
  const { username, password } = new URL(url);
  demand(
    username === '' && password === '' && !/[?#]/.test(url),
    "The provider's URL holds credentials, a query or a fragment; a path is appended to it, and it is never recorded.",
  );
}

export function demandId(name: string, id: string): void {
  demand(
    typeof id === 'string' && idPattern.test(id),
    `${name} is not an id: letters, digits, dots, dashes and underscores, at most 128.`,
  );
}

export function demandText(name: string, text: string): void {
  demand(typeof text === 'string' && text !== '' && text.isWellFormed(), `${name} is not a text, or not well-formed Unicode.`);
}

export function demandOneOf(name: string, value: unknown, allowed: readonly unknown[]): void {
  demand(allowed.includes(value), `${name} is one of ${allowed.join(', ')}.`);
}

export function demand(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new RuntimeError('input-invalid', sentence);
}
