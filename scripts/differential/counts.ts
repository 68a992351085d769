/** What the histories of a campaign were and what they reached. Counts of several processes add up. */
import type { Freedom } from './compare/freedoms.js';
import type { Account } from './compare/reference.js';
import type { Derived } from './derive/verifier.js';
import type { History, Subject } from './history/drafts.js';
import { situations, situationsIn } from './situations.js';

type Tally = Map<string, number>;

/** Every stage of a call, every stage of a run and every state of a call in it, typed in again from the contract's tables. */
const stages: Readonly<Record<Subject, readonly string[]>> = {
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

const tallies = ['numbers', 'lengths', 'reads', 'breaches', 'reached', 'situations', 'freedoms'] as const;
type Name = (typeof tallies)[number];
export type Plain = Readonly<Record<Name, readonly (readonly [string, number])[]>>;

export class Counts {
  private readonly of: Readonly<Record<Name, Tally>>;

  constructor(
    private readonly subject: Subject,
    before?: Plain,
  ) {
    this.of = Object.fromEntries(tallies.map((name) => [name, new Map(before?.[name])])) as unknown as Record<Name, Tally>;
  }

  get histories(): number {
    return this.number('histories');
  }

  get lawful(): number {
    return this.number('lawful');
  }

  add(history: History, account: Account, derived: Derived, isRefused: boolean, freedoms: readonly Freedom[]): void {
    const size = history.drafts.length;
    this.count('numbers', 'histories');
    this.count('numbers', 'entries', size);
    const length = size > 40 ? 'over 40' : size > 20 ? '21 to 40' : size > 10 ? '11 to 20' : size > 5 ? '6 to 10' : 'up to 5';
    this.count('lengths', length);
    this.count('reads', account.read);
    for (const breach of history.breaches) this.count('breaches', breach.split(':')[0] ?? '');
    for (const freedom of freedoms) this.count('freedoms', freedom);
    const isClean = account.broken.length === 0 && derived.disorders.length === 0;
    if (history.breaches.length === 0) this.count('numbers', 'lawful');
    else if (isClean && account.why === '') this.count('numbers', 'lawful all the same');
    else if (!isRefused) this.count('numbers', 'taken by the runtime');
    if (!isClean) return;
    for (const name of reachedIn(account.state)) this.count('reached', name);
    if (history.breaches.length === 0) for (const name of situationsIn(history, account)) this.count('situations', name);
  }

  merge(other: Plain): void {
    for (const name of tallies) for (const [key, number] of other[name]) this.count(name, key, number);
  }

  plain(): Plain {
    return Object.fromEntries(tallies.map((name) => [name, [...this.of[name]]])) as unknown as Plain;
  }

  /** What was not reached as often as wanted. */
  missing(least: number): string[] {
    const few = (tally: Tally, names: readonly string[]): string[] => names.filter((name) => (tally.get(name) ?? 0) < least);
    return [...few(this.of.reached, stages[this.subject]), ...few(this.of.situations, situations[this.subject])];
  }

  summary(): Record<string, unknown> {
    const { histories, lawful } = this;
    return {
      ...{ histories, lawful, broken: histories - lawful, broken_and_lawful_all_the_same: this.number('lawful all the same') },
      disordered_and_taken_by_the_runtime: this.number('taken by the runtime'),
      mean_length: Math.round((10 * this.number('entries')) / Math.max(1, histories)) / 10,
      ...{ lengths: sorted(this.of.lengths), read_as: sorted(this.of.reads), breaches: sorted(this.of.breaches) },
      ...{
        reached: sorted(this.of.reached),
        lawful_histories_with: sorted(this.of.situations),
        freedoms: sorted(this.of.freedoms),
      },
    };
  }

  private number(name: string): number {
    return this.of.numbers.get(name) ?? 0;
  }

  private count(of: Name, name: string, number = 1): void {
    this.of[of].set(name, (this.of[of].get(name) ?? 0) + number);
  }
}

function sorted(tally: Tally): Record<string, number> {
  return Object.fromEntries([...tally].sort(([, left], [, right]) => right - left));
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
