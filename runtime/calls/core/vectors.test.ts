/** The known answers of the contract, as every program that shares it must give them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonical, isCanonical } from '../../core/canonical.js';
import { sha256 } from '../../core/digest.js';
import type { LedgerEvent } from './events.js';
import { History } from './history.js';
import { projectWorkState } from './work-state.js';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../evidence/schema/vectors/${name}.json`, import.meta.url), 'utf8'));

describe('canonical JSON', () => {
  const { cases, refused_by_readers, refused_by_writers } = read('canonical') as {
    cases: { what: string; text: string; canonical: string; sha256: string }[];
    refused_by_readers: { what: string; text: string }[];
    refused_by_writers: { what: string; text: string }[];
  };
  test.each(cases)('$what', ({ text, canonical: wanted, sha256: hash }) => {
    expect(canonical(JSON.parse(text))).toBe(wanted);
    expect(sha256(wanted)).toBe(hash);
    expect(isCanonical(JSON.parse(wanted), wanted)).toBe(true);
  });
  test.each(refused_by_readers)('a reader refuses $what', ({ text }) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    expect(isCanonical(value, text)).toBe(false);
  });
  test.each(refused_by_writers)('refuses $what', ({ text }) =>
    expect(() => canonical(JSON.parse(text))).toThrow(expect.objectContaining({ code: 'input-invalid' })),
  );
});

describe('the work state', () => {
  type Brief = Partial<LedgerEvent> & Pick<LedgerEvent, 'type'>;
  const { payloads, vectors } = read('work-state') as {
    payloads: Record<string, object>;
    vectors: { name: string; events: Brief[]; expected: Record<string, object> }[];
  };
  const none = { attempt_id: null, call_id: null, compilation_id: null, task_id: 'task-1' };
  const expand = (brief: Brief, index: number): LedgerEvent =>
    ({
      ...{ ...none, digest: '0'.repeat(64), recorded_at: '2026-01-01T00:00:00.000Z', seq: index + 1 },
      ...brief,
      payload: { ...payloads[brief.type], ...brief.payload },
    }) as LedgerEvent;

  test.each(vectors)('$name', ({ events, expected }) => {
    const history = History.of(events.map(expand));
    expect([...history.tasks.keys()]).toEqual(Object.keys(expected));
    for (const [task, state] of Object.entries(expected)) expect(projectWorkState(history, task)).toMatchObject(state);
  });
});
