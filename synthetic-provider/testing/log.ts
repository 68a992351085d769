/** Receipt logs for tests, as a prefix would have left them. */
import { type Json, canonical, sha256 } from '../core/canonical.js';
import { recorded } from '../log/recorded.js';
import type { Line } from '../log/receipts.js';

const stamp = { at: '2026-01-01T00:00:00.000Z', monotonic_ns: '1' };

export function received(
  request: number,
  key: string | null = null,
  body = '{"messages":[{}],"model":"m"}',
  path = '/v1/chat/completions',
): Line {
  const headers = key === null ? {} : { 'idempotency-key': key };
  return { kind: 'received', request, ...stamp, ...recorded('POST', path, headers, Buffer.from(body)), peer_pid: null };
}

export function settled(
  request: number,
  effect: number | null,
  more: { replayed?: boolean; bytes?: Buffer; name?: string } = {},
): Line {
  const { replayed = false, bytes, name = 'chat.completions' } = more;
  const told = effect === null ? null : { effect_id: `effect-${effect}`, name, replayed };
  const response_sha256 = bytes === undefined ? null : sha256(bytes);
  return { kind: 'settled', request, ...stamp, ended: 'answered', status: 200, response_sha256, effect: told };
}

export function line(seq: number, content: Line | Record<string, unknown>): string {
  const numbered = { ...content, version: 'receipts/v1', seq } as unknown as Record<string, Json>;
  return `${canonical({ ...numbered, digest: sha256(canonical(numbered)) })}\n`;
}

export function log(...contents: Line[]): Buffer {
  return Buffer.from(contents.map((content, index) => line(index + 1, content)).join(''));
}
