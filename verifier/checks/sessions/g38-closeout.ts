/**
 * G38: What nobody can know was closed and not continued: every indeterminate call of a recovered run has its `unknown`, its run makes no
 * further model request unless each such call may go on, and a requested cancel ends as cancelled.
 * Verified: of every run, that no step and no dispatch follows what stops it (an unknown result, an attempt that may have been sent, a
 * cancel), and that it ends as the table of stages says; of a run that was recovered, each terminal that its close-out gave; of a role that
 * completed, that no run is left without its end but one that waits for a person.
 * Not verified: whether a call that is unknown came back after all; which of two failures ended a model step.
 *
 * A `restart` is the naive loop: it goes on with what is unknown, by its nature. What it then pays twice is the outcome `duplicated`.
 */
import { mayGoOn, terminalOf } from '../../model/sessions/call-state.js';
import { closeOutOf, isClosing } from '../../model/sessions/close-out.js';
import { walk } from '../../model/sessions/fold.js';
import type { Call, Run } from '../../model/sessions/history.js';
import { seals, stageOf } from '../../model/sessions/stage.js';
import type { Snapshot } from '../../read/bundle.js';
import type { SessionRecord } from '../../read/session-records.js';
import { actorsOf } from '../actors.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { answered } from '../derived.js';
import { followers, historyBefore, historyIn, logIn } from './derived.js';
import { leavesOpen } from './groups.js';
import { once } from './once.js';
import { plannedRuns } from './planned.js';
import { addedTenures } from './tenures.js';

export const g38: CaseCheck = {
  guarantee: 'G38',
  sentence:
    'What nobody can know was closed and not continued: every indeterminate call of a recovered run has its `unknown`, its run makes no further model request unless each such call may go on, and a requested cancel ends as cancelled.',
  covers:
    'every run: what follows that which stops it, how it ends, what its close-out gave each call; what a completed role left open',
  doesNotCover: 'whether a call that is unknown came back after all; which of two failures ended a model step',
  codes: ['closeout-unlawful'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedRuns, (snapshot, say) => {
      const { runs } = historyIn(snapshot);
      const unlawful: Unlawful = (detail, seq) =>
        say('closeout-unlawful', detail, { file: snapshot.state.logFile, seq: seq ?? null });
      for (const run of runs) goesOnWrong(run, unlawful);
      for (const { seq, detail } of endProblems(logIn(snapshot.state).records)) unlawful(detail, seq);
      if (snapshot.planned.role !== 'restart') recoveredWrong(snapshot, unlawful);
      leftOpen(snapshot, say);
      return runs.length;
    }),
};

type Unlawful = (detail: string, seq?: number) => void;

/** After what stops a run it asks no model and dispatches nothing. */
function goesOnWrong(run: Run, unlawful: Unlawful): void {
  const { steps, cancels, config } = run;
  const intents = steps.flatMap(({ calls }) => calls.flatMap((call) => call.intents));
  const stepAfter = (seq: number): number | undefined => steps.find((step) => step.seq > seq)?.seq;
  const say = (seq: number | undefined, detail: string): void => (seq === undefined ? undefined : unlawful(detail, seq));
  for (const { seq, at } of cancels) {
    say(stepAfter(seq), 'A run takes another step after its cancel was requested.');
    if (at === 'now')
      say(intents.find((intent) => intent.seq > seq)?.seq, 'A call is dispatched after its run was cancelled at once.');
  }
  for (const { calls } of steps) {
    for (const call of calls.filter((one) => !mayGoOn(one, config))) {
      const unknown = call.results.find(({ outcome }) => outcome === 'unknown');
      if (unknown === undefined) continue;
      say(stepAfter(unknown.seq), 'A run goes on although nobody knows what came of a call.');
      say(intents.find(({ seq }) => seq > unknown.seq)?.seq, 'A call is dispatched although nobody knows what came of another.');
    }
  }
  if (config.model_leg !== 'intent') return;
  for (const step of steps) {
    const broken = step.attemptsFinished.find(({ outcome }) => outcome === 'broken' || outcome === 'cancelled');
    if (broken === undefined) continue;
    const again = step.attempts.find(({ seq }) => seq > broken.seq)?.seq ?? stepAfter(broken.seq);
    say(again, 'A model is asked again although the request before it may have been served.');
  }
}

/** Each run ends as the stage says in which it was; an error ends it anywhere. */
const endProblems = once((records: readonly SessionRecord[]): readonly { seq: number; detail: string }[] => {
  const problems: { seq: number; detail: string }[] = [];
  const followed = followers(records);
  walk(records, (record, before) => {
    const { type, payload, seq, fence } = record;
    if (type !== 'run_finished' || payload.reason === 'error') return;
    const run = before.runsById.get(payload.run_id);
    if (run === undefined || run.finished !== undefined) return;
    const stage = stageOf(run);
    const next = followed.get(record);
    // A new send closes out whatever has no end, and is then a run of its own.
    const isForced = next?.type === 'run_started' && next.fence === fence;
    const seal = seals[stage] ?? (isForced ? 'interrupted' : null);
    if (seal === payload.reason) return;
    const wanted = seal === null ? `it is ${stage}` : `what is on record ends as ${seal}`;
    problems.push({ seq, detail: `A run ends as ${payload.reason}; ${wanted}.` });
  });
  return problems;
});

/** What the snapshot found that has to be closed out, and what it did with it. */
function recoveredWrong(snapshot: Snapshot, unlawful: Unlawful): void {
  const before = historyBefore(snapshot)?.runs.at(-1);
  if (before === undefined) return;
  const run = historyIn(snapshot).runsById.get(before.id);
  const due = closeOutOf(before);
  if (run === undefined || due === null) return;
  if (run.steps.length > before.steps.length)
    unlawful('A run takes another step although it was to be closed out.', run.steps[before.steps.length]?.seq);
  const calls = run.lastFinished?.calls ?? [];
  const dispatched = calls.find((call, index) => call.intents.length > (before.lastFinished?.calls[index]?.intents.length ?? 0));
  if (dispatched !== undefined)
    unlawful('A call is dispatched although its run was to be closed out.', dispatched.intents.at(-1)?.seq);
  for (const call of calls) {
    const closings = due.closings.get(call.key);
    const terminal = terminalOf(call);
    if (closings === undefined || (terminal === null && run.finished === undefined)) continue;
    if (!isClosing(call, closings))
      unlawful(`The close-out gave the call ${call.id} another terminal than it is to have.`, seqOf(call));
  }
}

function seqOf(call: Call): number | undefined {
  return terminalOf(call)?.seq;
}

/** Whoever says that it did what it was told leaves no run without its end, but one that waits for a person. */
function leftOpen(snapshot: Snapshot, say: Say): void {
  const { kill, crash } = snapshot.planned;
  if (kill !== null || answered(snapshot) === null) return;
  // Of several processes the one that appended last.
  const last = crash === null ? actorsOf(snapshot)[0] : addedTenures(snapshot).at(-1)?.actor;
  const run = historyIn(snapshot).runs.at(-1);
  if (last === undefined || run === undefined || !leavesOpen(last, historyIn(snapshot))) return;
  const isDone = crash?.model === 'zombie' ? need(last.role.answer).status === 'completed' : answered(snapshot) === 'completed';
  if (isDone)
    say('closeout-unlawful', `The role completed and left a run that is ${stageOf(run)}.`, { file: snapshot.state.logFile });
}
