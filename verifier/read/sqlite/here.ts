/**
 * Which engine there is: better-sqlite3, in its place Node's own, or none. Asked when the first image is opened, since a bundle without ledgers
 * needs none. What was chosen is no part of a verdict; people are told where it is not the usual one.
 */
import { better, loadBetter } from './better.js';
import { noEngine, type Engine } from './engine.js';
import { nodeEngine, nodeSqlite } from './node.js';

interface Choice {
  readonly engine: Engine;
  /** What people should know about it. */
  readonly words: string | null;
}

let chosen: Choice | undefined;

export function engineHere(): Engine {
  chosen ??= choose(loadBetter, nodeSqlite);
  return chosen.engine;
}

/** Null where nothing was asked of an engine, or the usual one answered. */
export function engineWords(): string | null {
  return chosen?.words ?? null;
}

export function choose(load: typeof loadBetter, own: typeof nodeSqlite): Choice {
  let reason: string;
  try {
    load();
    return { engine: better, words: null };
  } catch (error) {
    reason = `better-sqlite3 cannot be loaded here (${(error as NodeJS.ErrnoException).code ?? 'it failed'})`;
  }
  const sqlite = own();
  if (sqlite !== undefined) return { engine: nodeEngine(sqlite), words: `Ledgers were read with node:sqlite: ${reason}.` };
  const without = `${reason}, and Node ${process.versions.node} has no node:sqlite of its own (22.13 and later have)`;
  return { engine: noEngine, words: `Ledgers were not read, so what rests on them is unknown: ${without}.` };
}
