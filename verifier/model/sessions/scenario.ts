/**
 * What a scenario of sessions asks for, held against what a role recorded: the hash of the file that it was given shows that it could know,
 * the log shows that it did. Every input, message, answer of a person and cancel on record is one that was asked for, once and in
 * the order of the script; and a role that completed what it was told left a record of all of it. Pure.
 */
import { sameJson } from '../../read/canonical.js';
import type { SessionRecord } from '../../read/session-records.js';
import { actedTypes, actionIn, actionsIn, configWrong, isShownBy, leavesRecord, sessionIdIn, type Action } from './asked.js';
import { walk } from './fold.js';
import { isInterrupt, type History, type RecordsOf, type RunConfig } from './history.js';

/** What the process was told that appended to the log. */
export interface Told {
  readonly role: 'produce' | 'resume' | 'restart' | 'inspect';
  readonly operation: string | null;
  readonly input: unknown;
}

export interface Recorded {
  /** The whole log. */
  readonly records: readonly SessionRecord[];
  /** The last seq that the role began with; zero for the first. */
  readonly inherited: number;
  /** Of each member, where there are several. */
  readonly told: readonly Told[];
  /** It ended by itself, and says that it did all that it was told. */
  readonly completed: boolean;
}

export interface Departure {
  /** Null where something is not on record. */
  readonly seq: number | null;
  readonly detail: string;
}

export function scenarioDepartures(scenario: unknown, { records, inherited, told, completed }: Recorded): Departure[] {
  const { script, during } = askedOf(scenario, told);
  const acts = new Acts(script, during);
  const departures: Departure[] = [];
  const isProducer = told.every(({ role }) => role === 'produce');
  walk(records, (record, before) => {
    if (record.seq <= inherited) return;
    const detail = wrongIn(scenario, record, before, acts, isProducer);
    if (detail !== null) departures.push({ seq: record.seq, detail: `${record.type}: ${detail}` });
    acts.seen(record);
  });
  // The naive loop goes by the record, and does of a script what it likes.
  if (!completed || told.some(({ role }) => role === 'restart')) return departures;
  const missing = acts.missing(records);
  return [
    ...departures,
    ...missing.map(({ does }) => ({ seq: null, detail: `What the scenario asks for is not on record: ${does}.` })),
  ];
}

/** A producer does its script, whoever resumes what its operation says; what is done while a run goes on may be done by all. */
function askedOf(scenario: unknown, told: readonly Told[]): { script: Action[]; during: Action[] } {
  const { script, during } = actionsIn(scenario);
  const own = told.flatMap(({ role, operation, input }): Action[] => {
    const action = actionIn(operation, input);
    if (role === 'resume') return action === null ? [] : [action];
    return role === 'inspect' ? [] : script;
  });
  return { script: own, during };
}

function wrongIn(scenario: unknown, record: SessionRecord, before: History, acts: Acts, isProducer: boolean): string | null {
  if (record.type === 'lineage') {
    const wanted = sessionIdIn(scenario);
    return wanted === undefined || record.payload.session_id === wanted ? null : 'the session has another id.';
  }
  if (record.type === 'run_started') return runWrong(scenario, record, before, acts, isProducer);
  if (!actedTypes.has(record.type) || acts.take(record)) return null;
  return isCancelOfInterrupt(record, before) ? null : 'this is not what the scenario asks for.';
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
  /** Nothing of the script that comes before this is done any more. */
  private next = 0;
  /** By type and number in the process, the seq of each record that was added. */
  private readonly seqs = new Map<string, number>();
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly script: readonly Action[],
    private readonly during: readonly Action[],
  ) {}

  seen({ type, seq }: SessionRecord): void {
    const count = (this.counts.get(type) ?? 0) + 1;
    this.counts.set(type, count);
    this.seqs.set(`${type}#${count}`, seq);
  }

  take(record: SessionRecord): boolean {
    const at = this.script.findIndex((action, index) => index >= this.next && isShownBy(action, record));
    if (at >= 0) {
      this.next = at + 1;
      return true;
    }
    const action = this.during.find((one) => !this.used.has(one) && isShownBy(one, record) && this.hasBegun(one));
    if (action !== undefined) this.used.add(action);
    return action !== undefined;
  }

  /** Asked for, and nowhere in the log; what is done while a run goes on is due once the record is there that it follows. */
  missing(records: readonly SessionRecord[]): Action[] {
    const due = [...this.script, ...this.during.filter((action) => this.hasBegun(action))].filter(leavesRecord);
    return due.filter((action) => !records.some((record) => isShownBy(action, record)));
  }

  private hasBegun({ after }: Action): boolean {
    return after === null || this.seqs.has(`${after.type}#${after.occurrence}`);
  }
}
