/**
 * One activity at a time in a session: a run, then those that the queue lets follow. Nothing goes on behind a caller's back: when the promise
 * of whoever began it settles, nothing of the session is under way in this process.
 *
 * Others may wait for a run of the activity; they hear when it ends, or that it still waits.
 */
import type { Run } from '../core/run.js';
import { drained } from './queue.js';
import { carryOn } from './run.js';
import { endOf, whatBecameOf, type RunEnd } from './run-end.js';
import type { Tenure } from './tenure.js';

interface Waiter {
  runId: string;
  resolve: (end: RunEnd) => void;
  reject: (error: unknown) => void;
}

export class Activity {
  private under = false;
  private waiters: Waiter[] = [];

  constructor(private readonly tenure: Tenure) {}

  get isUnderWay(): boolean {
    return this.under;
  }

  /** Carries a run on, and what follows it; resolves with the end of that run when all of it is over. */
  async begin(first: () => Run): Promise<RunEnd> {
    this.under = true;
    try {
      const begun = first();
      for (let run: Run | undefined = begun; run !== undefined; run = drained(this.tenure, false)) {
        await carryOn(this.tenure, run);
        this.tell(run);
        if (run.finished === null) break;
      }
      this.under = false;
      this.tellRest(({ runId, resolve }) => resolve(whatBecameOf(this.tenure.history, runId)));
      return endOf(begun);
    } catch (error) {
      this.under = false;
      this.tellRest((waiter) => waiter.reject(error));
      throw error;
    }
  }

  /** The end of a run of the activity that is under way, or of a message that it will come to. */
  ended(runId: string): Promise<RunEnd> {
    return new Promise((resolve, reject) => this.waiters.push({ runId, resolve, reject }));
  }

  private tell(run: Run): void {
    const told = this.waiters.filter(({ runId }) => runId === run.runId);
    this.waiters = this.waiters.filter(({ runId }) => runId !== run.runId);
    for (const { resolve } of told) resolve(endOf(run));
  }

  private tellRest(tell: (waiter: Waiter) => void): void {
    const { waiters } = this;
    this.waiters = [];
    waiters.forEach(tell);
  }
}
