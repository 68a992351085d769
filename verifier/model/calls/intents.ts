/** What a history of calls intended: every attempt, by what the request of it would bear. */
import { matchOf } from '../effects.js';
import type { Attempt, Call, History } from './history.js';

export interface Intent {
  readonly call: Call;
  readonly attempt: Attempt;
  /** Key and body hash; no manifest means no body, which no request can match. */
  readonly match: string;
}

export function intentsOf(history: History): Intent[] {
  return [...history.calls.values()].flatMap((call) =>
    call.attempts.map((attempt) => ({ call, attempt, match: matchOf(call.key, call.manifest?.request_body_sha256 ?? 'none') })),
  );
}
