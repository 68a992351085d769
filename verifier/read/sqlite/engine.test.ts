/** Which engine is chosen, and what a verdict says where there is none: less, and nothing else. */
import { describe, expect, it } from 'vitest';
import { coverAll, changeDatabase } from '../../mutations/calls/edits.js';
import { Editor } from '../../mutations/editor.js';
import { goodBundle } from '../../testing/bundle.js';
import { snapshot } from '../../testing/match.js';
import { verify } from '../../verdict.js';
import { Memory } from '../memory.js';
import type { Tree } from '../tree.js';
import { better } from './better.js';
import { noEngine } from './engine.js';
import { choose } from './here.js';
import type { NodeSqlite } from './node.js';

const reason = 'There is no SQLite engine here that could read the rows.';
const good = goodBundle();
const withEngine = new Memory();
const withoutEngine = new Memory(() => noEngine);
const judged = (tree: Tree, memory: Memory) => verify(tree, memory).verdict;

describe('the engine', () => {
  const absent = (): never => {
    throw Object.assign(new Error('not here'), { code: 'MODULE_NOT_FOUND' });
  };
  const own = { DatabaseSync: class {} } as unknown as NodeSqlite;

  it('is better-sqlite3 where that can be loaded, and nobody is told', () =>
    expect(
      choose(
        () => undefined,
        () => own,
      ),
    ).toEqual({ engine: better, words: null }));

  it('is that of Node in its place, and people are told', () => {
    const { engine, words } = choose(absent, () => own);
    expect([better, noEngine]).not.toContain(engine);
    expect(words).toBe('Ledgers were read with node:sqlite: better-sqlite3 cannot be loaded here (MODULE_NOT_FOUND).');
  });

  it('is none where there is neither, and people are told what follows', () => {
    const { engine, words } = choose(absent, () => undefined);
    expect(engine).toBe(noEngine);
    expect(words).toMatch(/^Ledgers were not read, so what rests on them is unknown: .* no node:sqlite of its own/);
  });
});

describe('without an engine', () => {
  it('a good bundle is unknown, with the reason, and every claim is unknown or as it is with one', () => {
    const [whole, less] = [judged(good, withEngine), judged(good, withoutEngine)];
    expect([whole.verdict, less.verdict]).toEqual(['valid', 'unknown']);
    expect(less.findings).toEqual([]);
    const results = new Map(whole.results.map((result) => [`${result.guarantee} ${result.scope}`, result]));
    for (const result of less.results) {
      if (result.result === 'unknown') expect(result.reason).toContain(reason);
      else expect(result).toEqual(results.get(`${result.guarantee} ${result.scope}`));
    }
    const unknown = new Set(less.results.filter(({ result }) => result === 'unknown').map(({ guarantee }) => guarantee));
    expect([...unknown]).toEqual(expect.arrayContaining(['G8', 'G10', 'G15', 'G16', 'G25', 'G31', 'G47']));
    for (const guarantee of ['G2', 'G5', 'G18']) {
      const held = less.results.filter((one) => one.guarantee === guarantee && one.result === 'held');
      expect(held.length, guarantee).toBeGreaterThan(0);
    }
  });

  it('what is no ledger at all is still found', () => {
    const editor = new Editor(good, withEngine);
    const target = snapshot(editor, 'control');
    editor.files.set(target.state.ledgerFile, Buffer.alloc(4096, 7));
    editor.files.delete(`${target.state.ledgerFile}-wal`);
    editor.repin();
    expect(judged(editor.tree, withoutEngine).findings.map(({ code }) => code)).toContain('ledger-unreadable');
  });
});

describe('with an engine', () => {
  it('a ledger in another encoding is not ours', () => {
    const editor = new Editor(good, withEngine);
    const target = snapshot(editor, 'control');
    changeDatabase(editor, target, (db) => db.exec('DELETE FROM artifacts WHERE 0'));
    editor.files.get(target.state.ledgerFile)?.writeUInt32BE(2, 56);
    coverAll(editor, target);
    editor.repin();
    expect(judged(editor.tree, withEngine).findings.map(({ code }) => code)).toContain('ledger-schema');
  });
});
