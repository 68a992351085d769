/** The operators on facts of the harness and the provider. */
import type { Operator } from '../operator.js';
import { documentsOf } from './documents.js';
import { fileOperators } from './files.js';
import { identityOperators } from './identities.js';
import { fieldSites, someOf } from './json.js';
import { planOperators } from './plan.js';
import { receiptOperators } from './receipts.js';
import { traceOperators } from './traces.js';

/** What an inspector exports, and nobody else may. */
const exported = /^(?:projections|events|artifacts|session|log)\b/;

const fields: Operator = {
  name: 'fields of facts',
  *sites(good) {
    for (const one of someOf(documentsOf(good))) {
      const exports = one.document === 'inspection.json';
      yield* fieldSites(good, one, (field) => !exports || !exported.test(field));
    }
  },
};

export const factOperators: readonly Operator[] = [
  fields,
  ...identityOperators,
  ...receiptOperators,
  ...traceOperators,
  ...fileOperators,
  ...planOperators,
];
