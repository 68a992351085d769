import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sessionFigures } from './sessions.js';

const bundle = mkdtempSync(join(tmpdir(), 'killpoint-readme-'));
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

function put(path: string, document: unknown): void {
  mkdirSync(dirname(join(bundle, path)), { recursive: true });
  writeFileSync(join(bundle, path), JSON.stringify(document));
}

const figuresOf = (events: number, model: number, tool: number, ended = 'completed') => ({
  ended,
  events,
  model_requests: model,
  tool_requests: tool,
});
const resume = (expected: object, more: object = {}) => ({ id: 'resume', role: 'resume', expect: expected, ...more });
const naive = (tool: number) => ({ id: 'naive-restart', role: 'restart', expect: figuresOf(22, 2, tool) });
const killed = (id: string, expected: object, ...arms: object[]) => ({ id, kill: { at: 'held' }, expect: expected, arms });

function inspected(id: string, snapshot: string, stage: string, reason: string | null, ...states: string[]): void {
  const calls = states.map((state) => ({ state }));
  put(`data/cases/${id}/${snapshot}/inspection.json`, {
    session: { next_operation: reason === null ? 'close_out' : 'none', runs: [{ stage, reason, calls }] },
  });
}

describe('the table of sessions', () => {
  it('has a row for each state of a killed run, with what a resume and a naive loop add', () => {
    put('data/plan.json', {
      cases: [
        { ...killed('control', figuresOf(15, 2, 1), resume(figuresOf(15, 2, 1))), kill: null },
        killed('told', figuresOf(7, 1, 1), resume(figuresOf(13, 2, 1), { operation: 'send' })),
        killed('intent', figuresOf(7, 1, 0), resume(figuresOf(13, 1, 0))),
        killed('held', figuresOf(7, 1, 1), naive(3), resume(figuresOf(13, 1, 1))),
        killed('ended', figuresOf(15, 2, 1), resume(figuresOf(15, 2, 1, 'refused'))),
      ],
    });
    for (const id of ['intent', 'held']) {
      inspected(id, 'producer', 'interrupted', null, 'completed', 'indeterminate');
      inspected(id, 'resume', 'finished', 'interrupted');
    }
    inspected('ended', 'producer', 'finished', 'completed');
    expect(sessionFigures(bundle).split('\n').slice(2)).toEqual([
      '| `interrupted` | completed, indeterminate | close_out | run interrupted | 7 → 13 | 0 and 0 | 2 again |',
      '| `finished` | none | none | refused: nothing is open | 15 → 15 | 0 and 0 |  |',
    ]);
  });

  it('does not quote a plan without a killed session', () => {
    put('data/plan.json', { cases: [] });
    expect(() => sessionFigures(bundle)).toThrow(/has no resume of a killed session/);
  });
});
