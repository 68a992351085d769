/**
 * A look at a session that takes no lease and writes nothing.
 *
 * Also while somebody acts on it: what is then read is a prefix of the log, up to some barrier or, as after a crash, a part of one. A log that is
 * damaged or newer is refused as its owner would be.
 */
import { join, resolve } from 'node:path';
import type { SessionState } from '../../contract/types.js';
import { demandMembers } from '../../core/demands.js';
import { SessionHistory } from '../core/history.js';
import type { Frame } from '../core/records.js';
import { sessionStateOf } from '../core/session-state.js';
import { logName } from '../log/folder.js';
import { withoutFrame } from '../log/refusal.js';
import { readSessionLog } from '../log/session-log.js';
import { demandText } from './demands.js';

export interface SessionReader {
  state(): SessionState;
  /** All of them, in order. */
  frames(): readonly Frame[];
  /** Bytes behind the last frame: of a barrier that was not finished, or is not finished yet. */
  tornBytes: number;
  close(): void;
}

/** Throws `SessionError`, and `RuntimeError` for a folder that cannot be used. */
export function openSessionReader(folder: string, options: { floorFolder?: string | null } = {}): SessionReader {
  demandText('folder', folder);
  demandMembers('options', options, ['floorFolder'], '');
  const history = new SessionHistory();
  const frames: Frame[] = [];
  const take = (frame: Frame): void => {
    history.apply(frame);
    frames.push(frame);
  };
  const { floorFolder } = options;
  if (floorFolder != null) demandText('floorFolder', floorFolder);
  const { tornBytes } = readSessionLog(resolve(folder), take, floorFolder == null ? {} : { floorFolder: resolve(floorFolder) });
  if (frames.length === 0) throw withoutFrame(join(resolve(folder), logName));
  return {
    state: () => sessionStateOf(history),
    frames: () => frames,
    tornBytes,
    // Nothing is held open: it is here so that who reads needs not know that.
    close: () => undefined,
  };
}
