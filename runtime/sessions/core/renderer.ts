/**
 * The renderer `chat-messages`: from a transcript to the exact bytes of a request body.
 *
 * A recorded run renders by the version that it was recorded with, for ever. What changes these bytes is a new version here, never an edit
 * of an old one. Only here are adjacent user texts joined: the store keeps them apart.
 */
import { canonical } from '../../core/canonical.js';
import { invariant } from '../../core/errors.js';
import type { Turn } from './transcript.js';
import type { RunConfig, Tool } from './vocabulary.js';

/** The version table of this renderer. A number that was read from a log is looked up here and never believed. */
const versions = {
  1: { saysParallel: false },
  2: { saysParallel: true },
} as const;

export type RenderVersion = keyof typeof versions;
export const newestVersion: RenderVersion = 2;
export const rendererName = 'chat-messages';

/** The version that a recorded number is here, or null where this program has none. */
export function knownVersion(version: number): RenderVersion | null {
  return version === 1 || version === 2 ? version : null;
}

/** What every request of a run shares, as the renderer of that version makes it. */
export function sharedParts({ model, system, tools, batch }: Omit<RunConfig, 'render'>, version: RenderVersion) {
  return {
    model,
    ...(versions[version].saysParallel && { parallel_tool_calls: batch === 'parallel' }),
    system,
    tools: tools.map(toolDefinition),
  };
}

/** The names of these parts, sorted. */
export function bundleMembers(version: RenderVersion): string[] {
  return versions[version].saysParallel ? ['model', 'parallel_tool_calls', 'system', 'tools'] : ['model', 'system', 'tools'];
}

export function renderRequest(config: RunConfig, transcript: readonly Turn[]): Buffer {
  const version = knownVersion(config.render.version);
  invariant(version !== null, 'a request is rendered only by a version that renderRefusal accepted');
  const { model, system, tools, parallel_tool_calls: parallel } = sharedParts(config, version);
  const body = canonical({
    messages: [{ content: system, role: 'system' }, ...joinUserTexts(transcript).map(message)],
    model,
    ...(tools.length > 0 && { ...(parallel !== undefined && { parallel_tool_calls: parallel }), tools }),
  });
  return Buffer.from(body, 'utf8');
}

function joinUserTexts(transcript: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of transcript) {
    const before = joined.at(-1);
    if (turn.role === 'user' && before?.role === 'user')
      joined[joined.length - 1] = { role: 'user', text: `${before.text}\n\n${turn.text}` };
    else joined.push(turn);
  }
  return joined;
}

function message(turn: Turn): object {
  if (turn.role === 'user') return { content: turn.text, role: 'user' };
  if (turn.role === 'result') return { content: turn.output, role: 'tool', tool_call_id: turn.toolCallId };
  const calls = turn.calls.map(({ id, name, arguments: text }) => ({
    function: { arguments: text, name },
    id,
    type: 'function',
  }));
  return { content: turn.text, role: 'assistant', ...(calls.length > 0 && { tool_calls: calls }) };
}

function toolDefinition({ name, description, arguments: declared }: Tool): object {
  const parameters = {
    additionalProperties: false,
    // Not by assignment: a member may be called `__proto__`.
    properties: Object.fromEntries(declared.map((argument) => [argument.name, { type: argument.type }])),
    required: declared.filter(({ required }) => required).map((argument) => argument.name),
    type: 'object',
  };
  return { function: { description, name, parameters }, type: 'function' };
}
