/**
 * The bytes of a session log, made by hand: frames that say what a test wants, right or wrong. Written from the byte diagram and not from the
 * reader.
 */
import { createHash } from 'node:crypto';

export interface Made {
  readonly type: string;
  readonly payload: unknown;
  readonly seq?: number;
  readonly synced?: number;
  readonly fence?: number;
  readonly features?: readonly string[];
  readonly kind?: number;
  readonly version?: number;
  /** In the place of the canonical one. */
  readonly header?: string;
  readonly text?: string;
}

const kinds: Readonly<Record<string, number>> = { lineage: 3, model_attempt_finished: 2, resume_started: 2 };

/** Members in order, as the canonical form has them; enough for what tests write. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
}

export function frameBytes({ type, payload, seq = 1, synced = seq - 1, fence = 1, features = [], ...rest }: Made): Buffer {
  const header = Buffer.from(rest.header ?? JSON.stringify({ features, fence, seq, synced, type }));
  const body = Buffer.from(rest.text ?? JSON.stringify(ordered(payload)));
  const prefix = Buffer.alloc(12);
  prefix.write('f54b5057', 'hex');
  prefix.writeUInt8(rest.version ?? 1, 4);
  prefix.writeUInt8(rest.kind ?? kinds[type] ?? 1, 5);
  prefix.writeUInt16BE(header.length, 6);
  prefix.writeUInt32BE(body.length, 8);
  const whole = Buffer.concat([prefix, header, body]);
  return Buffer.concat([whole, createHash('sha256').update(whole).digest()]);
}

export const lineage = { identity: '00112233445566778899aabbccddeeff', session_id: 's-1' };

/** Numbered from 1, after a lineage frame, each a barrier of its own unless it says otherwise. */
export function logBytes(...frames: readonly Made[]): Buffer {
  const all: readonly Made[] = [{ type: 'lineage', payload: lineage }, ...frames];
  return Buffer.concat(all.map((frame, index) => frameBytes({ seq: index + 1, ...frame })));
}
