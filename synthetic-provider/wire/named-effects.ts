/** The generic effect endpoint: `POST /effects/<name>` with any body does the thing of that name, and says which effect it was. */
import { canonical } from '../core/canonical.js';

const effectsPath = /^\/effects\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

export function effectNameOf(pathname: string): string | null {
  return effectsPath.exec(pathname)?.[1] ?? null;
}

export function effectAnswer(effectId: string, name: string): Buffer {
  return Buffer.from(canonical({ effect_id: effectId, name }));
}
