/** SHA-256 over bytes or UTF-8 text. */
import { hash } from 'node:crypto';

export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
