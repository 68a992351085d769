/** Packages that are loaded when they are first wanted. Where the verifier is one file they lie inside it (`cli/standalone.ts`). */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const carried = new Map<string, unknown>();

export function carry(name: string, loaded: unknown): void {
  carried.set(name, loaded);
}

export function loadPackage(name: string): unknown {
  return carried.get(name) ?? load(name);
}
