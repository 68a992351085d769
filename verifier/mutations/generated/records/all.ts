/** The operators on what the subject left, and on what was exported of it. */
import type { Operator } from '../operator.js';
import { artifactBreaks } from './artifacts.js';
import { folders } from './folders.js';
import { inStep } from './in-step.js';
import { tails } from './tails.js';
import { eventFields } from './event-fields.js';
import { eventLines } from './event-lines.js';
import { exportFields } from './exports.js';
import { frameLines } from './frame-lines.js';
import { frameFields } from './frame-fields.js';

export const recordOperators: readonly Operator[] = [
  eventFields,
  eventLines,
  artifactBreaks,
  frameFields,
  frameLines,
  exportFields,
  inStep,
  tails,
  folders,
];
