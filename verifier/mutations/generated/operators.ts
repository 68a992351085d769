/** Every operator. Facts are what the harness and the provider wrote; records are what the subject left, and what was exported of it. */
import { factOperators } from './facts/all.js';
import type { Operator } from './operator.js';
import { recordOperators } from './records/all.js';

export const operators: readonly Operator[] = [...factOperators, ...recordOperators];
