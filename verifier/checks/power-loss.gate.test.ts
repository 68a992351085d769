/** What a power loss may leave, on the kept sessions: their tools are commands, and send from processes of their own. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge } from '../judge.js';
import { Editor } from '../mutations/editor.js';
import { readBundle } from '../read/bundle.js';
import { Memory } from '../read/memory.js';
import { readTree } from '../read/tree.js';
import { g46 } from './g46-power-states.js';

const kept = fileURLToPath(new URL('../../evidence/kept/power-loss-sessions', import.meta.url));
const bundles = existsSync(kept) ? readdirSync(kept).map((name) => join(kept, name)) : [];
const arm = 'data/cases/command/strictest';

describe.runIf(bundles.length > 0)('a trace that lacks a request', () => {
  it.each(bundles)('of a command proves nothing of the states that it should have given: %s', (folder) => {
    const reasonsOf = (lacking: RegExp): (string | undefined)[] => {
      const editor = new Editor(readTree(folder), new Memory());
      const change = (name: string, how: (text: string) => string): void => {
        const path = `${arm}/${name}`;
        editor.files.set(path, Buffer.from(how(editor.files.get(path)?.toString('utf8') ?? '')));
      };
      change('trace.txt', (text) => text.replace(/^\d+ request\(.*step-11.*\n/m, '').replace(lacking, ''));
      // The request of the command is the last one that was received, as it is in the trace.
      change('receipts.jsonl', (text) => text.split('\n').slice(0, -3).join('\n').concat('\n'));
      editor.repin();
      const claims = judge(readBundle(editor.tree, new Memory()), [g46]);
      return claims.filter(({ scope }) => scope === 'command').map(({ reason }) => reason ?? undefined);
    };
    expect(reasonsOf(/^$/)).toEqual([undefined]);
    const reason = 'The trace of the arm strictest lacks a request that the provider received.';
    expect(reasonsOf(/^\d+ request\("POST", "\/effects\/ship".*\n/m)).toEqual([reason]);
  });
});
