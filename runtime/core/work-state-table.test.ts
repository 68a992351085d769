import { expect, test } from 'vitest';
import { classify, effectOf, table, type Evidence } from './work-state-table.js';

const flags = [true, false];
const everyEvidence: Evidence[] = flags.flatMap((superseded) =>
  flags.flatMap((completed) =>
    flags.flatMap((preparationFailed) =>
      flags.flatMap((manifest) =>
        flags.flatMap((attempted) =>
          flags.flatMap((unsettled) =>
            flags.flatMap((served) =>
              (['complete', 'not_sent', 'broken', null] as const).flatMap((delivery) =>
                flags.flatMap((interpreted) =>
                  (['retry', 'stop', null] as const).flatMap((decision) =>
                    flags.map((done) => ({
                      superseded,
                      completed,
                      preparationFailed,
                      manifest,
                      attempted,
                      unsettled,
                      served,
                      last: { delivery, interpreted, decision, completed: done },
                    })),
                  ),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
);

test('every combination of evidence has exactly one first row, and every row is somebody’s first', () => {
  expect(everyEvidence).toHaveLength(2 ** 7 * 4 * 2 * 3 * 2);
  const firsts = new Set<string>();
  for (const evidence of everyEvidence) {
    const matching = table.filter((row) => row.matches(evidence));
    expect(matching.length).toBeGreaterThan(0);
    expect(classify(evidence)).toBe(matching[0]);
    firsts.add(classify(evidence).label);
  }
  expect([...firsts].toSorted().join('')).toBe('ABCDEFGHIJK');
  expect(table.map((row) => row.label).join('')).toBe('ABCDEFGHIJK');
});

test('the only operations that start a request belong to rows where nothing can have been sent, or a decision allows it', () => {
  for (const evidence of everyEvidence) {
    const row = classify(evidence);
    if (row.operation === 'start_call') expect(evidence.attempted && evidence.manifest).toBe(false);
    if (row.operation === 'start_next_attempt') expect(evidence.unsettled).toBe(false);
  }
});

test('an unsettled attempt is never called absent or happened where the record decides the effect', () => {
  for (const evidence of everyEvidence.filter(({ unsettled, attempted, manifest }) => unsettled && attempted && manifest)) {
    const row = classify(evidence);
    if (row.label !== 'C') expect(effectOf(row, evidence)).toBe('unknown');
  }
});
