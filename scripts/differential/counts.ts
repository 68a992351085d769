/** What the histories of a campaign were and what they reached. */
import type { Account } from './compare/reference.js';
import type { Derived } from './derive/verifier.js';
import type { History, Subject } from './history/drafts.js';
import type { Told } from './worker/runtime.js';

type Tally = Map<string, number>;

/** Every stage of a call, every stage of a run and every state of a call in it, typed in again from the contract's tables. */
const wanted: Readonly<Record<Subject, readonly string[]>> = {
  calls: [
    ...['superseded', 'completed', 'preparation_failed', 'requested', 'manifest_recorded', 'duplicate_accepted', 'retry_safe'],
    ...['operator_needed', 'effect_unknown', 'response_lost', 'not_served', 'not_sent', 'observed', 'interpreted', 'retry_due'],
    'undecided_end',
  ],
  sessions: [
    ...['finished', 'cancelling', 'interrupted', 'model_unknown', 'stopped', 'paused', 'natural_end', 'tools_due', 'step_due'],
    ...['call completed', 'call not_sent', 'call interrupted', 'call max_steps', 'call unknown', 'call no_dispatch'],
    ...[
      'call held_successor',
      'call indeterminate',
      'call never_dispatchable',
      'call never_left',
      'call denied',
      'call approved',
    ],
    ...['call awaiting_approval', 'call pending'],
  ],
};

export class Counts {
  histories = 0;
  lawful = 0;
  /** Broken, and nothing forbids what came of it. */
  harmless = 0;
  /** Broken in an order that the runtime takes all the same. */
  taken = 0;
  entries = 0;
  readonly breaches: Tally = new Map();
  readonly lengths: Tally = new Map();
  /** Of lawful histories: how many hold at least one of these. */
  readonly reached: Tally = new Map();
  /** What was read, by the reference. */
  readonly reads: Tally = new Map();

  constructor(private readonly subject: Subject) {}

  add(history: History, account: Account, derived: Derived, told: Told): void {
    const size = history.drafts.length;
    this.histories += 1;
    this.entries += size;
    count(
      this.lengths,
      size > 40 ? 'over 40' : size > 20 ? '21 to 40' : size > 10 ? '11 to 20' : size > 5 ? '6 to 10' : 'up to 5',
    );
    count(this.reads, account.read);
    for (const breach of history.breaches) count(this.breaches, breach.split(':')[0] ?? '');
    const isClean = account.broken.length === 0 && derived.disorders.length === 0;
    if (history.breaches.length === 0) this.lawful += 1;
    else if (isClean) this.harmless += 1;
    else if (told.refused === null) this.taken += 1;
    if (isClean) for (const name of reachedIn(account.state)) count(this.reached, name);
  }

  /** What was not reached as often as wanted. */
  missing(least: number): string[] {
    return wanted[this.subject].filter((name) => (this.reached.get(name) ?? 0) < least);
  }

  summary(): object {
    const sorted = (tally: Tally): object => Object.fromEntries([...tally].sort(([, left], [, right]) => right - left));
    return {
      ...{ histories: this.histories, lawful: this.lawful, broken: this.histories - this.lawful },
      ...{ broken_and_lawful_all_the_same: this.harmless, disordered_and_taken_by_the_runtime: this.taken },
      mean_length: Math.round((10 * this.entries) / Math.max(1, this.histories)) / 10,
      ...{ lengths: sorted(this.lengths), read_as: sorted(this.reads), breaches: sorted(this.breaches) },
      reached: sorted(this.reached),
    };
  }
}

function count(tally: Tally, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}

interface Stages {
  readonly calls?: readonly { readonly stage: string }[];
  readonly runs?: readonly { readonly stage: string; readonly calls: readonly { readonly state: string }[] }[];
}

function reachedIn(state: unknown): Set<string> {
  const all = (Array.isArray(state) ? state : state === undefined ? [] : [state]) as Stages[];
  const ofCalls = all.flatMap(({ calls = [] }) => calls.map(({ stage }) => stage));
  const ofRuns = all.flatMap(({ runs = [] }) =>
    runs.flatMap(({ stage, calls }) => [stage, ...calls.map((one) => `call ${one.state}`)]),
  );
  return new Set([...ofCalls, ...ofRuns]);
}
