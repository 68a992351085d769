/** The few artifacts that histories name. What they hold decides no state, so there need not be many. */
import { sha256 } from './canonical.js';

export interface Artifact {
  readonly sha256: string;
  readonly media_type: string;
  readonly bytes: Buffer;
}

function made(mediaType: string, texts: readonly string[]): readonly Artifact[] {
  return texts.map((text) => ({ sha256: sha256(text), media_type: mediaType, bytes: Buffer.from(text) }));
}

export const texts = made('text/plain;charset=utf-8', ['text one', 'text two', 'text three']);
export const documents = made('application/json', ['{"document":1}', '{"document":2}', '{"document":3}']);
export const octets = made('application/octet-stream', ['bytes one', 'bytes two']);

export const all: ReadonlyMap<string, Artifact> = new Map(
  [...texts, ...documents, ...octets].map((artifact) => [artifact.sha256, artifact]),
);

/** Every one of them that a payload names by its hash; as the content type beside the hash says, where there is one. */
export function namedIn(value: unknown, contentType?: unknown): Artifact[] {
  if (typeof value === 'string') {
    const named = all.get(value);
    if (named === undefined) return [];
    return [typeof contentType === 'string' && contentType !== '' ? { ...named, media_type: contentType } : named];
  }
  if (value === null || typeof value !== 'object') return [];
  const beside = (value as { content_type?: unknown }).content_type;
  return Object.values(value).flatMap((member) => namedIn(member, beside));
}
