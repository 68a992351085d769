/** What of the contract a writer needs to the letter: the schema of the ledger, the diagram of a frame. Read as data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Contract {
  readonly ledger: { readonly application_id: number; readonly user_version: number; readonly statements: readonly string[] };
  readonly log: {
    readonly frame: { readonly magic: string; readonly version: number; readonly kinds: Readonly<Record<string, number>> };
    readonly records: Readonly<Record<string, { readonly kind: string }>>;
    readonly features: Readonly<Record<string, string>>;
    readonly times: Readonly<Record<string, string>>;
  };
}

export function contractOf(root: string): Contract {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, 'evidence/schema', name), 'utf8'));
  return { ledger: read('ledger-v1.json') as Contract['ledger'], log: read('session-log-v1.json') as Contract['log'] };
}
