/**
 * The verifier's own reading of a complete response, `chat-completions` versions 1 and 2: what do these bytes of this status mean?
 * Pure, and never asks the record.
 */
import type { SharedVersioned } from '../contract/types.js';
import { EvidenceError } from '../errors.js';
import { decodeUtf8, parseJson } from '../read/canonical.js';

interface Meaning {
  readonly result: 'answer' | 'provider_error' | 'uninterpretable';
  readonly finish_reason: string | null;
  readonly text: string | null;
}

const nothing = (result: 'provider_error' | 'uninterpretable'): Meaning => ({ result, finish_reason: null, text: null });

/** How a version reads the content of a message; undefined where it is no text to it. */
const contents: Record<number, (content: unknown) => unknown> = {
  1: (content) => content,
  2: (content) => (Array.isArray(content) ? joined(content) : content),
};

export function isKnown({ name, version }: SharedVersioned): boolean {
  return name === 'chat-completions' && Object.hasOwn(contents, version);
}

/** `version` is one that is known here. */
export function interpret(status: number | null, bytes: Uint8Array, version = 1): Meaning {
  if (status !== 200) return nothing('provider_error');
  const top = objectIn(bytes);
  if (top === null) return nothing('uninterpretable');
  if (Object.hasOwn(top, 'error')) return nothing('provider_error');
  const first: unknown = Array.isArray(top.choices) ? top.choices[0] : undefined;
  const message = member(first, 'message');
  const text = contents[version]?.(member(message, 'content'));
  const reason = member(first, 'finish_reason');
  if (typeof text !== 'string' || typeof reason !== 'string') return nothing('uninterpretable');
  // JSON can spell half a surrogate pair; no UTF-8 artifact could hold it.
  if (/\p{Surrogate}/u.test(text) || /\p{Surrogate}/u.test(reason)) return nothing('uninterpretable');
  return { result: 'answer', finish_reason: reason, text };
}

/** A list of one or more parts, all of them text, without anything between. */
function joined(parts: readonly unknown[]): string | undefined {
  const texts = parts.map((part) => (member(part, 'type') === 'text' ? member(part, 'text') : undefined));
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}

function objectIn(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(decodeUtf8(bytes));
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof EvidenceError) return null;
    throw error;
  }
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
