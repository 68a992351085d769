/**
 * The serve role: opens ledgers for writing, one after another, and tells what each holds.
 *
 * It goes the way of whoever acts: verify by a connection that only looks, take the lease, open the connection that writes, and ask inside a
 * write transaction whether the file is still what was read. The commit is one of nothing, so that no byte is added.
 */
import { resolve } from 'node:path';
import { openStateFolder } from '../../calls/ledger/state-folder.js';
import { Committer } from '../../calls/live/committer.js';
import { noDigest, runServe, type Held } from '../kit/serve.js';

function owned(state: string, create: boolean): Held {
  const directory = resolve(state);
  const { ledger, lease } = openStateFolder(directory, create);
  const committer = new Committer(directory, ledger, lease, 'grouped', null);
  try {
    committer.commitTogether([]);
    const { events } = committer.history;
    return { digest: events.at(-1)?.digest ?? noDigest, entries: events.length };
  } finally {
    committer.close();
  }
}

runServe({ open: (state) => owned(state, false), make: (state) => owned(state, true) });
