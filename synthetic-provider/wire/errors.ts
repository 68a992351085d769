/** Errors as this provider's clients know them. Pure. */
import { canonical } from '../core/canonical.js';

export function errorMembers(status: number, message: string): { message: string; type: string } {
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  return { message, type };
}

export function errorBody(status: number, message: string): Buffer {
  return Buffer.from(canonical({ error: errorMembers(status, message) }));
}

export function refuse(status: number, message: string): { kind: 'refuse'; status: number; bytes: Buffer } {
  return { kind: 'refuse', status, bytes: errorBody(status, message) };
}
