/**
 * The generic effect endpoint: `POST /effects/<name>` with any body does the thing of that name. Pure. The answer is the scripted text to
 * the letter, as a tool would print it; without one it says which effect it was.
 */
import { canonical } from '../core/canonical.js';
import type { Body, Scripted } from './scripted.js';

const effectsPath = /^\/effects\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})(?:\?|$)/;

/** A query is no part of the name. */
export function effectNameOf(path: string): string | null {
  return effectsPath.exec(path)?.[1] ?? null;
}

export function effectAnswer(effectId: string, name: string, { text }: Scripted = {}): Body {
  if (text !== undefined) return { content_type: 'text/plain;charset=utf-8', bytes: Buffer.from(text) };
  return { content_type: 'application/json', bytes: Buffer.from(canonical({ effect_id: effectId, name })) };
}
