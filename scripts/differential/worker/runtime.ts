/**
 * What a built runtime makes of files: its serve role, which opens them as an owner would, and its projection, both as warm processes.
 */
import { mkdirSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Subject } from '../history/drafts.js';
import type { Files } from '../write/ledger.js';
import { converse, type Conversation } from './conversation.js';

interface Held {
  readonly entries: number;
  readonly digest: string;
}

export interface Told {
  /** The serve role's answer: what it holds, or the code by which it refused. */
  readonly opened: Held | null;
  readonly refused: string | null;
  /** The reader's: the same, with what it means. */
  readonly projected: (Held & { readonly state: unknown; readonly resume: unknown; readonly torn?: boolean }) | null;
  readonly unread: string | null;
  /** For people. */
  readonly words: string;
}

export interface Runtime {
  /** Of each of several; of those that `isForOwner` names the serve role is asked as well, which takes a lease and writes. */
  look(all: readonly Files[], isForOwner: (index: number) => boolean): Promise<Told[]>;
  end(): Promise<void>;
}

const project = fileURLToPath(new URL('project.mjs', import.meta.url));

export function startRuntime(build: string, subject: Subject, folder: string): Runtime {
  mkdirSync(folder, { recursive: true });
  const serve = converse([join(build, 'runtime/subjects', subject, 'serve.js')], folder);
  const reader = converse([project, build, subject], folder);
  const look: Runtime['look'] = async (all, isForOwner) => {
    const states = all.map((files, index) => {
      const state = join(folder, `state-${index}`);
      write(files, state);
      return state;
    });
    // Looked at first: whoever looks changes nothing.
    const read = (await asked(reader, JSON.stringify(states))) as ReadersAnswer[];
    const served = states.map((state, index) =>
      isForOwner(index) ? (asked(serve, JSON.stringify({ make: false, state })) as Promise<ServesAnswer>) : null,
    );
    return Promise.all(read.map(async (answer, index) => toldBy(answer, (await served[index]) ?? null)));
  };
  // One after the other: a search that ran out of time leaves a look under way, in the same folders.
  let before: Promise<unknown> = Promise.resolve();
  return {
    look: (all, isForOwner) => {
      const own = before.then(() => look(all, isForOwner));
      before = own.catch(() => undefined);
      return own;
    },
    end: async () => {
      await serve.end();
      await reader.end();
    },
  };
}

interface ReadersAnswer {
  readonly told: Told['projected'];
  readonly refused: { readonly error: string; readonly words: string } | null;
}

interface ServesAnswer {
  readonly opened: Held | null;
  readonly refused: { readonly error: string } | null;
}

function toldBy({ told, refused }: ReadersAnswer, served: ServesAnswer | null): Told {
  const read = { projected: told, unread: refused?.error ?? null, words: refused?.words ?? '' };
  if (served === null) return { opened: told, refused: refused?.error ?? null, ...read };
  return { opened: served.opened, refused: served.refused?.error ?? null, ...read };
}

async function asked(who: Conversation, line: string): Promise<unknown> {
  return JSON.parse(await who.ask(line)) as unknown;
}

function write(files: Files, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) remove(join(folder, name));
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

/** Almost always a file, which goes at once. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    rmSync(path, { recursive: true, force: true });
  }
}
