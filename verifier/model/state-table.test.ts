import { describe, expect, it } from 'vitest';
import { classify, rows, type Evidence } from './state-table.js';

const booleans = [false, true];
const deliveries = [null, 'complete', 'not_sent', 'broken'] as const;
const decisions = [null, 'retry', 'stop'] as const;

function everything(): Evidence[] {
  const all: Evidence[] = [];
  for (let bits = 0; bits < 2 ** 9; bits += 1) {
    const bit = (at: number): boolean => booleans[(bits >> at) & 1] === true;
    for (const lastDelivery of deliveries) {
      for (const lastDecision of decisions) {
        all.push({
          ...{
            superseded: bit(0),
            completed: bit(1),
            preparationFailed: bit(2),
            manifest: bit(3),
            attempted: bit(4),
            anyUnsettled: bit(5),
          },
          ...{ anyServed: bit(6), lastDelivery, lastInterpreted: bit(7), lastDecision, lastCompleted: bit(8) },
        });
      }
    }
  }
  return all;
}

describe('the work state table', () => {
  const all = everything();

  it('gives every combination of evidence exactly one row, and uses every row', () => {
    expect(all).toHaveLength(2 ** 9 * 12);
    const met = new Map<string, number>();
    for (const evidence of all) {
      const { label } = classify(evidence);
      met.set(label, (met.get(label) ?? 0) + 1);
    }
    expect([...met.keys()].sort()).toEqual(rows.map(({ label }) => label));
    expect([...met.values()].reduce((sum, count) => sum + count, 0)).toBe(all.length);
  });

  it('never starts or resumes what may have had its effect', () => {
    for (const evidence of all.filter((one) => one.attempted && one.manifest && one.anyUnsettled)) {
      const { next, effect } = classify(evidence);
      expect(['start_call', 'start_next_attempt', 'recompile']).not.toContain(next);
      // Row C says that nothing was sent; a call with an attempt cannot have failed before it.
      if (!evidence.preparationFailed || evidence.superseded || evidence.completed) expect(effect).toBe('unknown');
    }
  });

  it.each<[string, Partial<Evidence>, string, string, string]>([
    ['A', { superseded: true, completed: true }, 'superseded', 'none', 'absent'],
    ['A', { superseded: true, anyUnsettled: true }, 'superseded', 'none', 'unknown'],
    ['B', { completed: true, anyServed: true }, 'completed', 'none', 'happened'],
    ['C', { preparationFailed: true }, 'preparation_failed', 'fix_inputs', 'absent'],
    ['D', {}, 'requested', 'start_call', 'absent'],
    ['E', { manifest: true }, 'manifest_recorded', 'start_call', 'absent'],
    ['F', { manifest: true, attempted: true, anyUnsettled: true }, 'effect_unknown', 'reconcile_effect', 'unknown'],
    [
      'F',
      { manifest: true, attempted: true, anyUnsettled: true, lastDelivery: 'broken', lastDecision: 'retry' },
      'effect_unknown',
      'reconcile_effect',
      'unknown',
    ],
    ['G', { manifest: true, attempted: true, lastDelivery: 'not_sent' }, 'not_sent', 'start_next_attempt', 'absent'],
    ['H', { manifest: true, attempted: true, anyServed: true, lastDelivery: 'complete' }, 'observed', 'reinterpret', 'happened'],
    [
      'I',
      { manifest: true, attempted: true, anyServed: true, lastDelivery: 'complete', lastInterpreted: true },
      'interpreted',
      'redecide',
      'happened',
    ],
    [
      'J',
      { manifest: true, attempted: true, lastDelivery: 'not_sent', lastDecision: 'retry', lastCompleted: true },
      'retry_due',
      'start_next_attempt',
      'absent',
    ],
    [
      'K',
      { manifest: true, attempted: true, anyServed: true, lastDelivery: 'complete', lastInterpreted: true, lastDecision: 'stop' },
      'undecided_end',
      'finalize',
      'happened',
    ],
  ])('row %s', (label, part, stage, next, effect) => {
    const none: Evidence = {
      ...{
        superseded: false,
        completed: false,
        preparationFailed: false,
        manifest: false,
        attempted: false,
        anyUnsettled: false,
        anyServed: false,
      },
      ...{ lastDelivery: null, lastInterpreted: false, lastDecision: null, lastCompleted: false },
    };
    expect(classify({ ...none, ...part })).toEqual({ label, stage, next, effect });
  });
});
