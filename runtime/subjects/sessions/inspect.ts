/**
 * The inspector: exports every frame and what the log means, from a private copy. No byte of the state folder changes.
 *
 * A log that is too large for an answer is not exported; what it means is told all the same, and that the frames are missing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Answer } from '../../contract/types.js';
import { SessionError } from '../../sessions/core/refusals.js';
import { openSessionReader } from '../../sessions/api/reader.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { copyOfSession } from './private-copy.js';
import { sessions, settings } from './subject.js';

/** Bytes of frames that fit into an answer: a reader takes 64 MiB of one, and a frame has a few more bytes there. */
const exportedMax = 40 * 1024 * 1024;

function inspect({ environment, parking, using }: RoleContext): Report {
  const scratch = mkdtempSync(join(environment.scratch ?? '', 'state-'));
  parking.passed(['role.ready']);
  try {
    const reader = openSessionReader(copyOfSession(environment.state, scratch));
    using(settings);
    const session = reader.state() as unknown as NonNullable<Answer['session']>;
    const frames = reader.frames();
    const bytes = frames.reduce((sum, { size }) => sum + size, 0);
    if (bytes > exportedMax)
      return { status: 'completed', detail: `The log has ${bytes} bytes, too many to be exported; its state is told.`, session };
    const log = { frames: frames as unknown as NonNullable<Answer['log']>['frames'], torn_bytes: reader.tornBytes };
    return { status: 'completed', detail: null, session, log };
  } catch (error) {
    throw error instanceof SessionError ? told(error, scratch, environment.state) : error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** About the folder that was asked about, not about its copy. */
function told({ code, message, offset, names }: SessionError, copy: string, state: string): SessionError {
  return new SessionError(code, message.replaceAll(copy, resolve(state)), { offset, names });
}

await runRole('inspect', sessions, inspect);
