import { describe, expect, it } from 'vitest';
import { progressLine } from './progress.js';

describe('the live line', () => {
  it.each<[string, Parameters<typeof progressLine>[0], number]>([
    ['0 of 41 cases', { total: 41, done: 0, voids: 0, running: [] }, 76],
    ['12 of 41 cases, 1 void: a, b', { total: 41, done: 12, voids: 1, running: ['a', 'b'] }, 76],
    ['1 of 1 case', { total: 1, done: 1, voids: 0, running: [] }, 76],
    ['3 of 9 cases: a-lon…', { total: 9, done: 3, voids: 0, running: ['a-long-name'] }, 20],
    ['', { total: 9, done: 3, voids: 0, running: [] }, 0],
  ])('%s', (line, state, width) => {
    expect(progressLine(state, width)).toBe(line === '' ? '…' : line);
  });
});
