/** What must come of a break in a fact of the harness or the provider. */
import type { Table } from '../operator.js';
import { ofAnswers } from './answers.js';
import { ofFiles, ofPlans } from './files.js';
import { ofProcesses } from './process.js';
import { ofReceipts } from './receipts.js';
import { ofRuns } from './run.js';
import { ofTraces } from './traces.js';

export const facts: readonly Table[] = [ofProcesses, ofRuns, ofAnswers, ofReceipts, ofTraces, ofFiles, ofPlans];
