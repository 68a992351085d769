/** Bytes that events name by their hash, by what they are. */
import { sha256 } from '../../core/digest.js';
import type { Artifact } from './events.js';

export function textArtifact(text: string): Artifact {
  return artifact(text, 'text/plain;charset=utf-8');
}

/** `text`: canonical JSON. */
export function jsonArtifact(text: string): Artifact {
  return artifact(text, 'application/json');
}

function artifact(text: string, media_type: string): Artifact {
  const bytes = Buffer.from(text, 'utf8');
  return { sha256: sha256(bytes), media_type, bytes };
}
