/** The sentences by which a session log is refused. */
import { SessionError } from '../core/refusals.js';

export function missing(path: string, cause?: unknown): SessionError {
  return new SessionError('log-missing', `The folder is there and its log is not: ${path}. Restore it; it is not started anew.`, {
    cause,
  });
}

export function damaged(path: string, offset: number | null, what: string): SessionError {
  const where = offset === null ? '' : ` at byte ${offset}`;
  return new SessionError('log-damaged', `${path} is damaged${where}: ${what}. Nothing was changed; restore it from a copy.`, {
    offset,
  });
}

/** A made session has at least the frame that names it: nothing of it can be told from a log without one. */
export function withoutFrame(path: string): SessionError {
  return damaged(path, 0, 'it holds no frame');
}

export function newer(path: string, names: readonly string[], offset: number | null): SessionError {
  const where = offset === null ? '' : ` at byte ${offset}`;
  return new SessionError(
    'newer-writer',
    `A newer version wrote ${path}${where}: this one does not read ${names.join(', ')}. Nothing was changed; update killpoint.`,
    { offset, names },
  );
}
