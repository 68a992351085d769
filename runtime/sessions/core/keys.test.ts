import { expect, test } from 'vitest';
import { batchIdOf, callKey, modelKey, stepId } from './keys.js';

test('ids and keys follow from places, as the contract writes them', () => {
  expect(stepId(3)).toBe('step-3');
  expect(batchIdOf('step-3')).toBe('batch-3');
  expect(callKey('s-1', 'run-a', 'batch-3', 'call_1')).toBe('s-1/run-a/batch-3/call_1');
  expect(modelKey('s-1', 'run-a', 'step-3', 2)).toBe('s-1/run-a/step-3/2');
});

test('one id that a model gives again in another step is another key', () => {
  expect(callKey('s-1', 'run-a', 'batch-3', 'c')).not.toBe(callKey('s-1', 'run-a', 'batch-9', 'c'));
});
