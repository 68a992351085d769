/**
 * The records of a session log → its history, in one pass. A pure function of the records: no clock, nothing outside. Whoever needs the
 * history as it stood before a record walks along instead of folding each prefix anew.
 */
import type { SessionRecord } from '../../read/session-records.js';
import { emptyHistory, type Call, type History, type RecordsOf, type Run, type Step } from './history.js';
import { batchIdOf, callKey, stepId } from './keys.js';

const known = new WeakMap<readonly SessionRecord[], History>();

export function historyOf(records: readonly SessionRecord[]): History {
  const before = known.get(records);
  if (before !== undefined) return before;
  const history = emptyHistory();
  for (const record of records) take(history, record);
  known.set(records, history);
  return history;
}

/** `see` is called with each record and the history before it, which it must not keep. */
export function walk(records: readonly SessionRecord[], see: (record: SessionRecord, before: History) => void): History {
  const history = emptyHistory();
  for (const record of records) {
    see(record, history);
    take(history, record);
  }
  return history;
}

function take(history: History, record: SessionRecord): void {
  if (!belongs(history, record)) history.strays.push(record);
  history.lastSeq = record.seq;
}

/** False where the record belongs to nothing. */
function belongs(history: History, record: SessionRecord): boolean {
  switch (record.type) {
    case 'lineage':
      history.sessionId ??= record.payload.session_id;
      history.identity ??= record.payload.identity;
      history.lastLineage = record.seq;
      return true;
    case 'run_started':
      return startRun(history, record);
    case 'queued':
    case 'retracted':
      return submit(history, record);
    case 'step_started':
    case 'steered':
    case 'run_cancel_requested':
    case 'run_paused':
    case 'resume_started':
    case 'run_finished': {
      const run = history.runsById.get(record.payload.run_id);
      return run !== undefined && ofRun(history, run, record);
    }
    case 'model_attempt_started':
    case 'model_attempt_finished':
    case 'model_step_finished':
    case 'turn_finished':
    case 'tool_batch_started': {
      const step = stepNamed(history, record.payload.run_id, record.payload.step_id);
      return step !== undefined && ofStep(history, step, record);
    }
    case 'tool_batch_finished': {
      const { run_id: run, batch_id: batch } = record.payload;
      const step = stepNamed(history, run, batch.replace('batch-', 'step-'));
      if (step?.batch === undefined || step.batch.finished !== undefined) return false;
      step.batch.finished = { ...record.payload, seq: record.seq };
      return true;
    }
    case 'approval_requested':
    case 'approval_resolved':
    case 'tool_dispatch_intent':
    case 'tool_no_dispatch':
    case 'tool_result': {
      const { run_id: run, batch_id: batch, tool_call_id: id } = record.payload;
      const call = history.callsByKey.get(callKey(history.sessionId ?? '', run, batch, id));
      return call !== undefined && ofCall(history, call, record);
    }
  }
}

function startRun(history: History, { seq, payload }: RecordsOf<'run_started'>): boolean {
  if (history.runsById.has(payload.run_id)) return false;
  const run: Run = {
    ...{ id: payload.run_id, episode: history.runs.length + 1, seq, started: { ...payload, seq }, config: payload.config },
    ...{ steps: [], steers: [], placed: 0, cancels: [], pauses: [], resumes: [], awaiting: new Set() },
  };
  history.runs.push(run);
  history.runsById.set(run.id, run);
  if (payload.submission_id !== undefined) history.submissions.get(payload.submission_id)?.runs.push(run);
  history.replayed.messages += 1;
  return true;
}

function submit(history: History, { seq, type, payload }: RecordsOf<'queued' | 'retracted'>): boolean {
  const { submissions } = history;
  const before = submissions.get(payload.submission_id);
  if (type === 'retracted') {
    before?.retracted.push({ ...payload, seq });
    return before !== undefined;
  }
  if (before !== undefined) return false;
  history.lastSubmission = { queued: { ...payload, seq }, retracted: [], runs: [] };
  submissions.set(payload.submission_id, history.lastSubmission);
  return true;
}

type OfRun = RecordsOf<'step_started' | 'steered' | 'run_cancel_requested' | 'run_paused' | 'resume_started' | 'run_finished'>;

function ofRun(history: History, run: Run, { seq, type, payload }: OfRun): boolean {
  switch (type) {
    case 'step_started':
      if (payload.step_id !== stepId(seq)) return false;
      startStep(history, run, { seq, id: payload.step_id, watermark: payload.watermark_seq });
      return true;
    case 'steered':
      run.steers.push({ steered: { ...payload, seq } });
      return true;
    case 'run_cancel_requested':
      run.cancels.push({ ...payload, seq });
      return true;
    case 'run_paused':
      run.pauses.push({ ...payload, seq });
      return true;
    case 'resume_started':
      run.resumes.push({ ...payload, seq });
      return true;
    case 'run_finished':
      if (run.finished !== undefined) return false;
      run.finished = { ...payload, seq };
      history.replayed.messages += run.steers.length - run.placed;
      run.placed = run.steers.length;
      return true;
  }
}

function startStep(
  { stepsById, replayed }: History,
  run: Run,
  { id, seq, watermark }: Pick<Step, 'id' | 'seq' | 'watermark'>,
): void {
  const step: Step = { id, batchId: batchIdOf(id), seq, run, watermark, attempts: [], attemptsFinished: [], calls: [] };
  run.steps.push(step);
  stepsById.set(id, step);
  for (let next = run.steers[run.placed]; next !== undefined && next.steered.seq <= watermark; next = run.steers[run.placed]) {
    next.before = step;
    run.placed += 1;
    replayed.messages += 1;
  }
}

function stepNamed({ stepsById }: History, runId: string, id: string): Step | undefined {
  const step = stepsById.get(id);
  return step?.run.id === runId ? step : undefined;
}

type OfStep = RecordsOf<
  'model_attempt_started' | 'model_attempt_finished' | 'model_step_finished' | 'turn_finished' | 'tool_batch_started'
>;

function ofStep(history: History, step: Step, { seq, type, payload }: OfStep): boolean {
  switch (type) {
    case 'model_attempt_started':
      step.attempts.push({ ...payload, seq });
      return true;
    case 'model_attempt_finished':
      step.attemptsFinished.push({ ...payload, seq });
      return true;
    case 'model_step_finished':
      if (step.finished !== undefined) return false;
      finishStep(history, step, { ...payload, seq });
      return true;
    case 'turn_finished':
      if (step.turnFinished !== undefined) return false;
      step.turnFinished = { ...payload, seq };
      return true;
    case 'tool_batch_started':
      if (step.batch !== undefined || payload.batch_id !== step.batchId) return false;
      step.batch = { started: { ...payload, seq }, places: placesIn(payload.planned) };
      step.run.lastBatch = step;
      return true;
  }
}

function finishStep(history: History, step: Step, finished: NonNullable<Step['finished']>): void {
  const { run } = step;
  step.finished = finished;
  step.number = (run.lastFinished?.number ?? 0) + 1;
  run.lastFinished = step;
  history.replayed.model_steps += 1;
  for (const asked of finished.assistant.tool_calls) {
    const key = callKey(history.sessionId ?? '', run.id, step.batchId, asked.id);
    const call: Call = { ...asked, key, step, approvals: [], answers: [], intents: [], results: [], noDispatches: [] };
    step.calls.push(call);
    if (!history.callsByKey.has(key)) history.callsByKey.set(key, call);
  }
}

type OfCall = RecordsOf<'approval_requested' | 'approval_resolved' | 'tool_dispatch_intent' | 'tool_no_dispatch' | 'tool_result'>;

function ofCall(history: History, call: Call, { seq, type, payload }: OfCall): boolean {
  const { awaiting } = call.step.run;
  switch (type) {
    case 'approval_requested':
      call.approvals.push({ ...payload, seq });
      if (call.answers.length === 0) awaiting.add(call);
      return true;
    case 'approval_resolved':
      call.answers.push({ ...payload, seq });
      awaiting.delete(call);
      return true;
    case 'tool_dispatch_intent':
      call.intents.push({ ...payload, seq });
      return true;
    case 'tool_no_dispatch':
      call.noDispatches.push({ ...payload, seq });
      history.replayed.tool_results += 1;
      return true;
    case 'tool_result':
      call.results.push({ ...payload, seq });
      history.replayed.tool_results += 1;
      return true;
  }
}

function placesIn(planned: readonly { readonly tool_call_id: string }[]): Map<string, number> {
  // Backwards, so that of an id that stands twice the first place counts.
  return new Map(planned.map(({ tool_call_id: id }, place) => [id, place] as const).reverse());
}
