/**
 * The serve role: opens session logs as their owner would, one after another, and tells what each holds.
 *
 * It goes the way of whoever acts: the lease, the floor, the log read whole through the descriptor that would write, every frame folded. A torn
 * tail is told from damage and left, since it is the first append that cuts it off.
 */
import { resolve } from 'node:path';
import { SessionHistory } from '../../sessions/core/history.js';
import { SessionLog, type LogOptions } from '../../sessions/log/session-log.js';
import { noDigest, runServe, type Held } from '../kit/serve.js';

/** A session that is made here is looked at and thrown away: its id is nobody's. */
const sessionId = 'session-1';

function owned(state: string, open: (folder: string, options: LogOptions) => SessionLog): Held {
  const history = new SessionHistory();
  let digest = noDigest;
  const onFrame: LogOptions['onFrame'] = (frame) => {
    history.apply(frame);
    digest = frame.digest;
  };
  const log = open(resolve(state), { onFrame, problemOf: (frame) => history.problemOf(frame) });
  const { lastSeq } = log;
  log.close();
  return { digest, entries: lastSeq };
}

runServe({
  open: (state) => owned(state, (folder, options) => SessionLog.open(folder, options)),
  make: (state) => owned(state, (folder, options) => SessionLog.create(folder, { ...options, sessionId })),
});
