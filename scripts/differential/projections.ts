/**
 * The three accounts of a history without a process, a disk or a database: the rows of a ledger and the frames of a log are handed to what
 * projects them. So many more of them fit into a test that takes seconds; how files are read is for the campaigns.
 *
 * Runtime and verifier come from a build, as everywhere here.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as CallsHistoryOf from '../../runtime/calls/core/history.js';
import type * as WorkState from '../../runtime/calls/core/work-state.js';
import type * as Errors from '../../runtime/core/errors.js';
import type * as SessionHistoryOf from '../../runtime/sessions/core/history.js';
import type * as ResumeRecord from '../../runtime/sessions/core/resume-record.js';
import type * as SessionState from '../../runtime/sessions/core/session-state.js';
import type * as Stages from '../../runtime/sessions/core/stages.js';
import { compared, type Compared } from './compare/compare.js';
import { accountOf, accountOfRows, type Account } from './compare/reference.js';
import { loadVerifier } from './derive/verifier.js';
import type { CallsHistory, History, SessionsHistory } from './history/drafts.js';
import { readLog } from './reference/log.js';
import type { Told } from './worker/runtime.js';
import { namedIn } from './write/artifacts.js';
import type { Contract } from './write/contract.js';
import { sessionFiles } from './write/frames.js';
import { rowsOf } from './write/ledger.js';

async function loaded(build: string) {
  const load = async (path: string): Promise<unknown> => import(pathToFileURL(join(build, 'runtime', path)).href);
  return {
    errors: (await load('core/errors.js')) as typeof Errors,
    calls: (await load('calls/core/history.js')) as typeof CallsHistoryOf,
    workState: (await load('calls/core/work-state.js')) as typeof WorkState,
    sessions: (await load('sessions/core/history.js')) as typeof SessionHistoryOf,
    sessionState: (await load('sessions/core/session-state.js')) as typeof SessionState,
    resume: (await load('sessions/core/resume-record.js')) as typeof ResumeRecord,
    stages: (await load('sessions/core/stages.js')) as typeof Stages,
  };
}

type Projected = NonNullable<Told['projected']>;

/** Null for a history whose bytes are damaged: nothing is projected from it. */
export type Project = (history: History) => (Compared & { readonly account: Account }) | null;

export async function projections(build: string, contract: Contract): Promise<Project> {
  const [runtime, verifier] = [await loaded(build), await loadVerifier(build)];

  const toldBy = (project: () => Projected): Told => {
    try {
      const projected = project();
      return { opened: projected, refused: null, projected, unread: null, words: '' };
    } catch (error) {
      if (!(error instanceof runtime.errors.RuntimeError)) throw error;
      return { opened: null, refused: error.code, projected: null, unread: error.code, words: error.message };
    }
  };

  const ofCalls = (history: CallsHistory): ReturnType<Project> => {
    const rows = rowsOf(history);
    const account = accountOfRows(rows);
    if (account.read !== 'ok') return null;
    const events = rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as object }));
    const told = toldBy(() => {
      const own = runtime.calls.History.of(events as never);
      const state = [...own.tasks.keys()].map((task) => runtime.workState.projectWorkState(own, task));
      return { entries: own.lastSeq, digest: own.events.at(-1)?.digest ?? '', state, resume: null };
    });
    const artifacts = [...new Map(events.flatMap(({ payload }) => namedIn(payload)).map((one) => [one.sha256, one])).values()];
    return { ...compared('calls', told, verifier.rows({ events: rows, artifacts } as never), account), account };
  };

  const ofSessions = (history: SessionsHistory): ReturnType<Project> => {
    const files = sessionFiles(history, contract);
    const account = accountOf('sessions', files, '');
    if (account.read !== 'ok' && account.read !== 'torn') return null;
    const { frames } = readLog(files.get('session.wal') ?? Buffer.alloc(0), files.get('wal-feature-floor'));
    const told = toldBy(() => {
      const own = new runtime.sessions.SessionHistory();
      // As the public reader and whoever would own it: a log has its name in it.
      if (frames.length === 0) throw new runtime.errors.RuntimeError('log-damaged', 'The log holds no frame.');
      for (const frame of frames) own.apply({ ...frame, kind: kinds[frame.kind], offset: 0, size: 0 } as never);
      const run = own.current;
      const waits = run === undefined || ['none', 'approve'].includes(runtime.stages.stageOf(run).operation);
      const resume = waits ? null : runtime.resume.resumeStarted(own).payload;
      return { entries: own.lastSeq, digest: account.digest, state: runtime.sessionState.sessionStateOf(own), resume };
    });
    return { ...compared('sessions', told, verifier.sessions(files), account), account };
  };

  return (history) => (history.subject === 'calls' ? ofCalls(history) : ofSessions(history));
}

const kinds: Readonly<Record<number, string>> = { 1: 'record', 2: 'informational', 3: 'lineage' };
