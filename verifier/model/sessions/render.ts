/**
 * The renderer `chat-messages`, versions 1 and 2, written from the contract: a transcript and a frozen configuration → the bytes of a model
 * request; and what every request of a run shares, as it is frozen when the run starts.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { canonical } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import type { History, RunConfig, Step, Tool } from './history.js';
import { transcriptOf, type Message } from './transcript.js';

export type Rendered = Pick<RunConfig, 'model' | 'system' | 'tools' | 'batch'>;

const versions: readonly number[] = sessionLogV1.renderer.versions;

export function isRendererVersion(version: number): boolean {
  return versions.includes(version);
}

/** The exact text of a request body; null for a version that is not known here. */
export function requestText(config: Rendered, messages: readonly Message[], version: number): string | null {
  if (!isRendererVersion(version)) return null;
  const { model, tools } = config;
  if (tools.length === 0) return canonical({ messages, model });
  return canonical({ messages, model, ...parallelIn(config, version), tools: tools.map(toolShown) });
}

/** What every request of a run shares; its members are there whether or not there are tools. Null as above. */
export function bundleText(config: Rendered, version: number): string | null {
  if (!isRendererVersion(version)) return null;
  const { model, system, tools } = config;
  return canonical({ model, ...parallelIn(config, version), system, tools: tools.map(toolShown) });
}

/** The request of a step, by the configuration of its run; null for a renderer that is not known here. */
export function requestOf(history: Pick<History, 'runs'>, step: Step): { readonly text: string; readonly sha256: string } | null {
  const { config } = step.run;
  const text = requestText(config, transcriptOf(history, step), config.render.version);
  return text === null ? null : { text, sha256: textSha256(text) };
}

function parallelIn({ batch }: Rendered, version: number): { parallel_tool_calls?: boolean } {
  return version === 1 ? {} : { parallel_tool_calls: batch === 'parallel' };
}

function toolShown({ name, description, arguments: wanted }: Tool): unknown {
  const properties = Object.fromEntries(wanted.map((one) => [one.name, { type: one.type }]));
  const required = wanted.filter((one) => one.required).map((one) => one.name);
  const parameters = { additionalProperties: false, properties, required, type: 'object' };
  return { function: { description, name, parameters }, type: 'function' };
}
