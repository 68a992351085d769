/**
 * Every operating error of the runtime, with a closed list of codes.
 *
 * These are expected and handled: each message is one sentence that also says what to do. What a caller must tell apart by more
 * than the code has a class of its own with the facts as members: what either subject may meet is here, the rest is in
 * `calls/core/refusals.ts` and `sessions/core/refusals.ts`. Programmer errors fail an `invariant`.
 */
export type RuntimeErrorCode =
  | 'input-invalid'
  | 'task-unknown'
  | 'task-exists'
  | 'task-ended'
  | 'call-unknown'
  | 'compilation-unknown'
  | 'result-unknown'
  | 'call-under-way'
  | 'compilation-failed'
  | 'preparation-failed'
  | 'effect-unknown'
  | 'key-conflict'
  | 'resume-refused'
  | 'recovery-refused'
  | 'overtaken'
  | 'owner-alive'
  | 'lease-unreadable'
  | 'state-absent'
  | 'state-unreadable'
  | 'state-wrong-kind'
  | 'files-exhausted'
  | 'state-unfinished'
  | 'state-unwritable'
  | 'file-system-unsafe'
  | 'directory-foreign'
  | 'version-newer'
  | 'ledger-missing'
  | 'ledger-damaged'
  | 'ledger-busy'
  | 'ledger-failed'
  | 'settings-weak'
  | 'sqlite-defective'
  | SessionErrorCode
  | 'session-refused'
  | 'closed';

/** What can be wrong with a session log. */
export type SessionErrorCode =
  'log-damaged' | 'log-missing' | 'newer-writer' | 'foreign-write' | 'log-failed' | 'writer-poisoned' | 'session-too-large';

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Somebody else acts on this state folder; nothing was done. */
export class OwnerAlive extends RuntimeError {
  constructor(directory: string) {
    super('owner-alive', `Another process owns ${directory}. Wait until it ends, or stop it; then try again.`);
  }
}

/** Fails on what only a mistake in this program can cause. */
export function invariant(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${sentence}`);
}
