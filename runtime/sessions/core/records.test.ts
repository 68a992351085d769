/** What each record requires of a reader, where that is not in its type alone. */
import { expect, test } from 'vitest';
import { features as featureTable, sessionLogV1 } from '../../contract/data.js';
import {
  featuresOf,
  isFrameType,
  kindOf,
  payloadCap,
  readFeatures,
  recordTypes,
  shapeProblem,
  times,
  type Draft,
} from './records.js';
import { runConfig } from './testing/log.js';

const started = (given: Parameters<typeof runConfig>[0]): Draft => ({
  type: 'run_started',
  payload: { run_id: 'run-1', session_id: 's-1', config: runConfig(given), input: { text: 'Hello' } },
});

test('a record that needs nothing requires nothing', () => {
  expect(featuresOf(started({}))).toEqual([]);
  expect(featuresOf(started({ times: true }))).toEqual([]);
});

test('each gate of the contract', () => {
  const gates = Object.entries(sessionLogV1.features);
  expect(gates).toHaveLength(3);
  for (const [type, feature] of gates) expect(featuresOf({ type, payload: {} } as unknown as Draft)).toEqual([feature]);
  expect(featuresOf(started({ model_leg: 'intent' }))).toEqual(['model-intent/v1']);
});

test('a time of day requires the feature of times where it is there', () => {
  expect(Object.keys(times)).toHaveLength(5);
  for (const [type, member] of Object.entries(times)) {
    expect(featuresOf({ type, payload: { [member]: 1 } } as unknown as Draft)).toEqual(['tool-times/v1']);
    expect(featuresOf({ type, payload: {} } as unknown as Draft)).toEqual([]);
  }
});

test('what is written can be read, and what is refused cannot', () => {
  for (const { name, status } of featureTable.features)
    expect([name, readFeatures.has(name)]).toEqual([name, status !== 'refused']);
  for (const feature of Object.values(sessionLogV1.features)) expect(readFeatures.has(feature)).toBe(true);
});

test('kinds and caps are those of the contract; a name of the language is no type', () => {
  for (const type of recordTypes) {
    expect([kindOf(type), payloadCap(type)]).toEqual([sessionLogV1.records[type].kind, sessionLogV1.records[type].payload_cap]);
    expect(kindOf(type)).not.toBe('lineage');
  }
  expect(recordTypes.filter((type) => kindOf(type) === 'informational')).toEqual(['model_attempt_finished', 'resume_started']);
  expect(['toString', '__proto__', 'lineages'].map(isFrameType)).toEqual([false, false, false]);
});

test('a shape is told in words', () => {
  expect(shapeProblem('retracted', { submission_id: 'm-1' })).toBeNull();
  expect(shapeProblem('retracted', {})).toMatch(/submission_id/);
  expect(shapeProblem('retracted', null)).toMatch(/object/);
});
