import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recoveryFigures } from './recovery.js';

const bundle = mkdtempSync(join(tmpdir(), 'killpoint-readme-'));
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

function put(path: string, document: unknown): void {
  mkdirSync(dirname(join(bundle, path)), { recursive: true });
  writeFileSync(join(bundle, path), JSON.stringify(document));
}

const done = { ended: 'completed', events: 14, receipts: 1, effects: 1 };
const recover = { id: 'recover', operation: 'recover', crash: { model: 'crash-in-recovery' }, expect: done };
const killed = (id: string, ...arms: object[]) => ({ id, kill: { at: 'held' }, expect: { events: 9 }, arms });

function plan(...cases: object[]): void {
  put('data/plan.json', { cases });
}
function facts(id: string, stage: string, operation: string, ...operations: string[]): void {
  const answers = { safe_next: { operation, on: 'call-6' } };
  put(`data/cases/${id}/producer/inspection.json`, {
    projections: [{ answers, calls: [{ call_id: 'call-6', stage }], compilations: [] }],
  });
  put(`data/cases/${id}/recover/answer.json`, { operations });
}

describe('the table of recoveries', () => {
  it('has a row for each stage of a killed process, with what the recovery carried out', () => {
    plan(
      { ...killed('control', recover), kill: null },
      killed('restarted', { id: 'naive-restart', expect: done }),
      killed('observed', { ...recover, id: 'raced', crash: { model: 'race' } }, recover),
      killed('observed-again', recover),
      killed('decided', recover),
    );
    facts('observed', 'observed', 'reinterpret', 'reinterpret', 'redecide', 'finalize');
    facts('observed-again', 'observed', 'reinterpret', 'reinterpret');
    facts('decided', 'undecided_end', 'finalize', 'finalize');
    expect(recoveryFigures(bundle).split('\n').slice(2)).toEqual([
      '| `observed` | reinterpret | reinterpret, redecide, finalize | 9 → 14 | 1 | 1 |',
      '| `undecided_end` | finalize | finalize | 9 → 14 | 1 | 1 |',
    ]);
  });

  it('is not an empty one', () => {
    plan(killed('restarted', { id: 'naive-restart', expect: done }));
    expect(() => recoveryFigures(bundle)).toThrow(/has no recovery of a killed process/);
  });
});
