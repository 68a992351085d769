/** What the rules of order may look at, and the frame that every rule about an open run shares. */
import type { FrameType, Payloads } from './records.js';
import type { Message, Run } from './run.js';

export interface HistoryView {
  readonly sessionId: string;
  readonly identity: string;
  readonly current: Run | undefined;
  /** What an id names; undefined for one that is free. */
  messageOf(id: string): Message | undefined;
}

export type Rule<P> = (history: HistoryView, payload: P, seq: number) => string | null;
export type Rules = { [T in FrameType]: Rule<Payloads[T]> };

export function nothing(): null {
  return null;
}

/** A rule for records of the run that has no end. */
export function openRun<P extends { run_id: string }>(rule: (run: Run, payload: P, seq: number) => string | null): Rule<P> {
  return ({ current }, payload, seq) => {
    if (current?.runId !== payload.run_id) return `no run ${payload.run_id} is open`;
    return rule(current, payload, seq);
  };
}
