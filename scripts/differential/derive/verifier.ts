/**
 * What the verifier makes of the same bytes: its readers, its derived states, and the checks that speak of the order of a record (G10, G14,
 * G28; G33, G34, G39, G40). Loaded from a build, in this process, so that a build of patched sources is asked in the same way.
 *
 * The checks want a snapshot; of one they are given only what they look at here, a record and nobody's expectations.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as RecordOrder from '../../../verifier/checks/sessions/order.js';
import type * as Errors from '../../../verifier/errors.js';
import type * as Decisions from '../../../verifier/model/calls/decisions.js';
import type * as EventOrder from '../../../verifier/model/calls/event-order.js';
import type * as WorkState from '../../../verifier/model/calls/work-state.js';
import type * as Fold from '../../../verifier/model/sessions/fold.js';
import type * as Resume from '../../../verifier/model/sessions/resume.js';
import type * as SessionState from '../../../verifier/model/sessions/session-state.js';
import type * as Canonical from '../../../verifier/read/canonical.js';
import type * as Events from '../../../verifier/read/events.js';
import type * as LedgerReader from '../../../verifier/read/ledger.js';
import type * as SessionLog from '../../../verifier/read/session-log.js';
import type { Files } from '../write/ledger.js';

export interface Derived {
  /** `damaged`: bytes that no reader takes. */
  readonly read: 'ok' | 'torn' | 'damaged' | 'newer';
  /** Of the bytes; then of the order, each as it is told. */
  readonly problems: readonly Found[];
  readonly disorders: readonly Found[];
  readonly entries: number;
  readonly digest: string;
  /** Undefined where nothing can be derived. */
  readonly state: unknown;
  readonly resume: unknown;
}

interface Found {
  readonly code: string;
  readonly detail: string;
}

type Finding = Found;
type Check = {
  readonly check: (
    evidence: never,
    bundle: never,
  ) => { readonly findings: readonly Finding[]; readonly unknown?: string | undefined };
};

async function loaded(build: string) {
  const load = async (path: string): Promise<unknown> => import(pathToFileURL(join(build, 'verifier', path)).href);
  return {
    ledger: (await load('read/ledger.js')) as typeof LedgerReader,
    events: (await load('read/events.js')) as typeof Events,
    log: (await load('read/session-log.js')) as typeof SessionLog,
    canonical: (await load('read/canonical.js')) as typeof Canonical,
    errors: (await load('errors.js')) as typeof Errors,
    workState: (await load('model/calls/work-state.js')) as typeof WorkState,
    decisions: (await load('model/calls/decisions.js')) as typeof Decisions,
    eventOrder: (await load('model/calls/event-order.js')) as typeof EventOrder,
    fold: (await load('model/sessions/fold.js')) as typeof Fold,
    sessionState: (await load('model/sessions/session-state.js')) as typeof SessionState,
    resume: (await load('model/sessions/resume.js')) as typeof Resume,
    order: (await load('checks/sessions/order.js')) as typeof RecordOrder,
    g14: ((await load('checks/calls/g14-completion.js')) as { g14: Check }).g14,
    g33: ((await load('checks/sessions/g33-log.js')) as { g33: Check }).g33,
    g39: ((await load('checks/sessions/g39-approvals.js')) as { g39: Check }).g39,
    g40: ((await load('checks/sessions/g40-inputs.js')) as { g40: Check }).g40,
  };
}

export type Verifier = Awaited<ReturnType<typeof loadVerifier>>;

export async function loadVerifier(build: string) {
  const parts = await loaded(build);
  return {
    /** Of the rows of a ledger, wherever they were read. */
    rows: (rows: LedgerReader.LedgerRows): Derived => ofRows(parts, rows),
    calls: (files: Files): Derived => {
      try {
        return ofRows(
          parts,
          parts.ledger.readLedger(files.get('ledger.sqlite') ?? Buffer.alloc(0), files.get('ledger.sqlite-wal')),
        );
      } catch (error) {
        if (!(error instanceof parts.errors.EvidenceError)) throw error;
        return { ...nothing, read: 'damaged', problems: [{ code: error.code, detail: error.message }] };
      }
    },
    sessions: (files: Files): Derived => ofLog(parts, files),
  };
}

type Parts = Awaited<ReturnType<typeof loaded>>;

const nothing: Derived = {
  read: 'ok',
  problems: [],
  disorders: [],
  entries: 0,
  digest: '0'.repeat(64),
  state: undefined,
  resume: null,
};

function ofRows(parts: Parts, rows: LedgerReader.LedgerRows): Derived {
  const ledger = parts.events.parseEvents(rows);
  const { events } = ledger;
  const last = rows.events.at(-1);
  // A row that is an event of its shape, in canonical form and chained, is malformed only by an id that is not its own: a matter of order
  // here, since no byte is damaged.
  const isSpelled = (seq: number | null): boolean => {
    const event = events.find((one) => one.seq === seq);
    return event !== undefined && parts.canonical.isCanonical(event.payload as never, rows.events[event.seq - 1]?.payload ?? '');
  };
  const ids = ledger.problems.filter(({ code, seq }) => code === 'event-malformed' && isSpelled(seq));
  const problems = ledger.problems.filter((one) => !ids.includes(one));
  const held = { entries: rows.events.length, digest: last?.digest ?? nothing.digest };
  if (problems.length > 0) return { ...nothing, ...held, read: 'damaged', problems };
  const found = [
    ...parts.eventOrder.orderProblems(events).map(({ detail }) => ({ code: 'order-violated', detail })),
    ...parts.decisions.decisionProblems(events, 1).map(({ detail }) => ({ code: 'attempt-unlawful', detail })),
  ];
  const disorders = [...ids, ...found, ...findingsOf(parts.g14, { ledger: { value: ledger } })];
  return { ...nothing, ...held, disorders, state: parts.workState.workStates(events) };
}

function ofLog(parts: Parts, files: Files): Derived {
  const log = parts.log.readSessionLog(Buffer.from(files.get('session.wal') ?? []), files.get('wal-feature-floor'));
  const { frames, records, verdict: read, problem } = log;
  const held = { entries: frames.at(-1)?.seq ?? 0, digest: frames.at(-1)?.digest ?? nothing.digest };
  if (read === 'damaged' || read === 'newer')
    return {
      ...{ ...nothing, ...held, read },
      problems: [
        problem?.is === 'damaged' ? { code: problem.cause, detail: problem.detail } : { code: 'newer', detail: 'newer' },
      ],
    };
  const history = parts.fold.historyOf(records);
  const evidence = { log: { value: log } };
  const found = [
    ...parts.order.orderProblems(records).map(({ detail }) => ({ code: 'record-order', detail })),
    ...findingsOf(parts.g33, evidence),
    ...findingsOf(parts.g39, evidence),
    ...findingsOf(parts.g40, evidence),
  ];
  const state = parts.sessionState.sessionStateOf(history);
  const resume = parts.resume.resumeReportOf(history, (frames.at(-1)?.seq ?? 0) + 1);
  // A resume of whoever opens the log begins a tenure of its own, so its report is of all that is there.
  const asNew = resume === null ? null : { ...resume, resumed_from_seq: frames.at(-1)?.seq ?? 0 };
  return { ...nothing, ...held, read, disorders: found, state: state ?? undefined, resume: asNew };
}

function findingsOf({ check }: Check, evidence: object): readonly Finding[] {
  const files = { ledgerFile: 'ledger.sqlite', logFile: 'session.wal', floorFile: 'wal-feature-floor' };
  const state = { ...files, files: [], format: {}, unfinished: false, ...evidence };
  const snapshot = {
    ...{ caseId: 'case', name: 'producer', state, states: [state], lineage: [], answer: {}, present: true },
    // Whoever was killed may leave a torn tail.
    planned: { expect: {}, kill: { at: 'checkpoint' }, traced: null },
    file: (name: string): string => name,
    ...evidence,
  };
  const { findings, unknown } = check({ snapshots: [snapshot] } as never, { plan: {}, cases: [] } as never);
  if (unknown !== undefined) throw new Error(`A check could not look: ${unknown}`);
  return findings;
}
