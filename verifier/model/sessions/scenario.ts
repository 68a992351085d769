/**
 * What a scenario of sessions asks for, held against what a role recorded: the hash of the file that it was given shows that it could know,
 * the log shows that it did. Every input, message, answer of a person and cancel on record is one that was asked for, once and in
 * the order of the script; and a role that completed what it was told left a record of all of it. Pure.
 */
import { sameJson } from '../../read/canonical.js';
import type { SessionRecord } from '../../read/session-records.js';
import {
  actedTypes,
  actionIn,
  actionsIn,
  configWrong,
  isShownBy,
  leavesRecord,
  sessionIdIn,
  stands,
  type Action,
} from './asked.js';
import { walk } from './fold.js';
import { isInterrupt, type History, type RecordsOf, type RunConfig } from './history.js';

/** What a process was told that may have appended to the log. */
export interface Told {
  readonly role: 'produce' | 'resume' | 'restart' | 'inspect';
  readonly operation: string | null;
  readonly input: unknown;
  /** It ended by itself, and says that it did all that it was told. */
  readonly completed: boolean;
}

export interface Recorded {
  /** The whole log. */
  readonly records: readonly SessionRecord[];
  /** The last seq that the role began with; zero for the first. */
  readonly inherited: number;
  /** Of each member, where there are several, but for those that refused: they recorded nothing. */
  readonly told: readonly Told[];
}

export interface Departure {
  /** Null where something is not on record. */
  readonly seq: number | null;
  readonly detail: string;
}

export function scenarioDepartures(scenario: unknown, { records, inherited, told }: Recorded): Departure[] {
  const { script, during } = actionsIn(scenario);
  const scripts = told.map((one) => scriptOf(one, script));
  // Only a producer does something while its run goes on.
  const acts = new Acts(scripts, told.some(({ role }) => role === 'produce') ? during : []);
  const departures: Departure[] = [];
  const isProducer = told.every(({ role }) => role === 'produce');
  walk(records, (record, before) => {
    if (record.seq <= inherited) return;
    const detail = wrongIn(scenario, record, before, acts, isProducer);
    if (detail !== null) departures.push({ seq: record.seq, detail: `${record.type}: ${detail}` });
    acts.seen(record);
  });
  // The naive loop goes by the record, and does of a script what it likes.
  if (told.some(({ role }) => role === 'restart')) return departures;
  const missing = acts.missing(records, (index) => told[index]?.completed === true);
  return [
    ...departures,
    ...missing.map(({ does }) => ({ seq: null, detail: `What the scenario asks for is not on record: ${does}.` })),
  ];
}

/** A producer does its script, whoever resumes what its operation says. */
function scriptOf({ role, operation, input }: Told, script: readonly Action[]): readonly Action[] {
  const action = actionIn(operation, input);
  if (role === 'resume') return action === null ? [] : [action];
  return role === 'inspect' ? [] : script;
}

function wrongIn(scenario: unknown, record: SessionRecord, before: History, acts: Acts, isProducer: boolean): string | null {
  if (record.type === 'lineage') {
    const wanted = sessionIdIn(scenario);
    return wanted === undefined || record.payload.session_id === wanted ? null : 'the session has another id.';
  }
  if (record.type === 'run_started') return runWrong(scenario, record, before, acts, isProducer);
  if (!actedTypes.has(record.type) || acts.take(record)) return null;
  if (!isCancelOfInterrupt(record, before)) return 'this is not what the scenario asks for.';
  acts.follows(record);
  return null;
}

function runWrong(
  scenario: unknown,
  record: RecordsOf<'run_started'>,
  before: History,
  acts: Acts,
  isProducer: boolean,
): string | null {
  const { config, submission_id: id, run_id: runId, input } = record.payload;
  const wrong = configWrong(scenario, config);
  // Whoever goes on with a session may go by the settings on record.
  const recorded: RunConfig | undefined = isProducer ? undefined : before.runs.at(-1)?.config;
  if (wrong.length > 0 && !sameJson(config, recorded ?? null))
    return `${wrong.join(', ')} differs from what the scenario asks for.`;
  if (id === undefined) return acts.take(record) ? null : 'this input is not what the scenario asks for.';
  const queued = before.submissions.get(id)?.queued;
  return queued !== undefined && runId === id && input.text === queued.input.text
    ? null
    : 'the run differs from the message that it drains.';
}

/** An interrupting message cancels what goes on, at its next boundary: both are one barrier. */
function isCancelOfInterrupt({ type, seq, payload }: SessionRecord, { lastSubmission: last }: History): boolean {
  if (type !== 'run_cancel_requested' || payload.at !== 'step_boundary') return false;
  return last !== null && isInterrupt(last) && last.queued.seq === seq - 1;
}

/** The actions that were asked for, each of which leaves one record at most. */
class Acts {
  private readonly used = new Set<Action>();
  /** Nothing of a script that comes before this is done any more; each process has its own. */
  private readonly next: number[];
  /** By type and number in the process, the seq of each record that was added. */
  private readonly seqs = new Map<string, number>();
  private readonly counts = new Map<string, number>();
  private readonly past: SessionRecord[] = [];
  /** What was recorded while a run went on, and what came with it. */
  private readonly meanwhile = new Set<SessionRecord>();

  constructor(
    private readonly scripts: readonly (readonly Action[])[],
    private readonly during: readonly Action[],
  ) {
    this.next = scripts.map(() => 0);
  }

  follows(record: SessionRecord): void {
    this.meanwhile.add(record);
  }

  seen(record: SessionRecord): void {
    const { type, seq } = record;
    this.past.push(record);
    const count = (this.counts.get(type) ?? 0) + 1;
    this.counts.set(type, count);
    this.seqs.set(`${type}#${count}`, seq);
  }

  take(record: SessionRecord): boolean {
    for (const [index, script] of this.scripts.entries()) {
      const at = script.findIndex((action, place) => place >= (this.next[index] ?? 0) && isShownBy(action, record));
      if (at < 0) continue;
      this.next[index] = at + 1;
      return true;
    }
    const action = this.during.find((one) => !this.used.has(one) && isShownBy(one, record) && this.isRightAfter(one));
    if (action === undefined) return false;
    this.used.add(action);
    this.follows(record);
    return true;
  }

  /** Behind the barrier of the record that it follows stands nothing but what was done meanwhile, too. */
  private isRightAfter({ after }: Action): boolean {
    if (after === null) return true;
    const seq = this.seqs.get(`${after.type}#${after.occurrence}`);
    const first = this.past.findIndex((one) => one.seq === seq);
    const { synced, fence } = this.past[first] ?? {};
    const isOfBarrier = (one: SessionRecord): boolean => one.synced === synced && one.fence === fence;
    return first >= 0 && this.past.slice(first).every((one) => isOfBarrier(one) || this.meanwhile.has(one));
  }

  /**
   * Asked for by somebody who is done, and nowhere in the log; what is done while a run goes on is due once the record is there that it
   * follows.
   */
  missing(records: readonly SessionRecord[], isDone: (index: number) => boolean): Action[] {
    const scripts = this.scripts.filter((_script, index) => isDone(index));
    const during = scripts.length > 0 ? this.during.filter((action) => this.hasBegun(action)) : [];
    return [...scripts.flat(), ...during]
      .filter(leavesRecord)
      .filter((action) => !records.some((record) => stands(action, record)));
  }

  private hasBegun({ after }: Action): boolean {
    return after === null || this.seqs.has(`${after.type}#${after.occurrence}`);
  }
}
