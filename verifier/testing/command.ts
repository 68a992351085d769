/** The verifier as a command: run in this process, on a bundle that is put on the disk for it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { command } from '../cli/command.js';
import type { Tree } from '../read/tree.js';

export async function run(args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const code = await command(args, {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    colour: false,
  });
  return { code, ...said };
}

export async function onDisk<T>(tree: Tree, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-verifier-'));
  try {
    for (const [path, bytes] of tree.files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
