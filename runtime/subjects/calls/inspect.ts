/** The inspector: exports what the record holds and what it means, from a private copy. No byte of the state folder changes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openReader } from '../../calls/api/reader.js';
import type { Answer } from '../../contract/types.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { calls } from './subject.js';

function inspect({ environment, parking, using }: RoleContext): Report {
  const scratch = mkdtempSync(join(environment.scratch ?? '', 'state-'));
  parking.passed(['role.ready']);
  const reader = openReader({ directory: environment.state, scratch });
  try {
    using(reader.settings);
    return {
      status: 'completed',
      detail: null,
      projections: reader.workStates(),
      events: reader.events() as unknown as NonNullable<Answer['events']>,
      artifacts: reader.artifacts(),
    };
  } finally {
    reader.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

await runRole('inspect', calls, inspect);
