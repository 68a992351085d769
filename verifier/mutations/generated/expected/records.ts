/** What must come of a break in what the subject left. */
import type { Table } from '../operator.js';
import { artifacts } from './artifacts.js';
import { eventLines, events } from './events.js';
import { exports } from './exports.js';
import { frameLines, frames } from './frames.js';
import { wholes } from './wholes.js';

export const records: readonly Table[] = [events, eventLines, artifacts, frames, frameLines, exports, wholes];
