/** Receipt logs for tests, as a prefix would have left them. */
import { type Json, canonical, sha256 } from '../core/canonical.js';
import { recorded } from '../log/recorded.js';
import type { Line } from '../log/receipts.js';

const stamp = { at: '2026-01-01T00:00:00.000Z', monotonic_ns: '1' };

interface Sent {
  readonly key?: string | null;
  readonly token?: number;
  readonly body?: string;
  readonly method?: string;
  readonly path?: string;
}

function request({
  key = null,
  token,
  body = '{"messages":[{}],"model":"m"}',
  method = 'POST',
  path = '/v1/chat/completions',
}: Sent) {
  const headers = {
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...(token === undefined ? {} : { 'fencing-token': String(token) }),
  };
  return { ...stamp, ...recorded(method, path, headers, Buffer.from(body)), peer_pid: null };
}

export function received(number: number, key: string | null = null, sent: Sent = {}): Line {
  return { kind: 'received', request: number, ...request({ key, ...sent }) };
}

export function fence(number: number, key: string, token: number): Line {
  return received(number, null, { token, body: '', path: `/keys/${key}/fence` });
}

export function delayed(number: number, key: string | null = null, sent: Sent = {}): Line {
  return { kind: 'delayed', delayed: number, ...request({ key, ...sent }) };
}

export function arrived(number: number, of: number, key: string | null = null, sent: Sent = {}): Line {
  return { ...received(number, key, sent), delayed: of } as Line;
}

export function settled(
  request: number,
  effect: number | null,
  more: { replayed?: boolean; bytes?: Buffer; name?: string; status?: number } = {},
): Line {
  const { replayed = false, bytes, name = 'chat.completions', status = 200 } = more;
  const told = effect === null ? null : { effect_id: `effect-${effect}`, name, replayed };
  const response_sha256 = bytes === undefined ? null : sha256(bytes);
  return { kind: 'settled', request, ...stamp, ended: 'answered', status, response_sha256, effect: told };
}

export function line(seq: number, content: Line | Record<string, unknown>): string {
  const numbered = { ...content, version: 'receipts/v1', seq } as unknown as Record<string, Json>;
  return `${canonical({ ...numbered, digest: sha256(canonical(numbered)) })}\n`;
}

export function log(...contents: Line[]): Buffer {
  return Buffer.from(contents.map((content, index) => line(index + 1, content)).join(''));
}
