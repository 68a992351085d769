/**
 * A ledger with other words in it, and everything that follows from them: an artifact with other bytes has another hash, and whatever names the
 * hash names the new one, other artifacts among them. So a lie can be told that agrees with itself.
 */
import type { Event } from '../../../contract/types.js';
import { canonical, decodeUtf8, parseJson } from '../../../read/canonical.js';
import { isUtf8 } from 'node:buffer';
import { fileSha256 } from '../../../read/hash.js';
import type { ArtifactRow } from '../../../read/ledger.js';
import type { Content } from './ledger-copies.js';

export interface Rewritten extends Content {
  /** Old hash → new hash. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Artifacts name each other at most this deep: an answer, a spec, a package, a content. */
const deepest = 5;

export function rewritten({ events, artifacts }: Content, change: (text: string) => string): Rewritten {
  let hashes = new Map<string, string>();
  for (let depth = 0; depth < deepest; depth += 1) {
    const next = new Map<string, string>();
    for (const { sha256, bytes } of artifacts.values()) {
      const now = fileSha256(bytesAnew(bytes, hashes, change));
      if (now !== sha256) next.set(sha256, now);
    }
    const isSettled = next.size === hashes.size && [...next].every(([old, now]) => hashes.get(old) === now);
    hashes = next;
    if (isSettled) break;
  }
  const anew = new Map<string, ArtifactRow>();
  for (const row of artifacts.values()) {
    const sha256 = hashes.get(row.sha256) ?? row.sha256;
    anew.set(sha256, { ...row, sha256, bytes: bytesAnew(row.bytes, hashes, change) });
  }
  const inEvent = (event: Event): Event => {
    const payload = parseJson(renamed(change(canonical(event.payload)), hashes)) as Event['payload'];
    return { ...event, payload };
  };
  return { events: events.map(inEvent), artifacts: anew, hashes };
}

function bytesAnew(bytes: Buffer, hashes: ReadonlyMap<string, string>, change: (text: string) => string): Buffer {
  return isUtf8(bytes) ? Buffer.from(renamed(change(decodeUtf8(bytes)), hashes), 'utf8') : bytes;
}

export function renamed(text: string, hashes: ReadonlyMap<string, string>): string {
  return hashes.size === 0 ? text : text.replaceAll(/[0-9a-f]{64}/g, (hash) => hashes.get(hash) ?? hash);
}
