/** The cases of the small sessions in which somebody decides, or not everything is dispatched. */
import { at } from '../ran.js';
import { SessionBook } from './book.js';
import { batchOf, done } from './shapes.js';
import { figures, run, type SessionRefusal, type Story } from './ran.js';
import { asking, charge, refund, saying } from './scenario.js';
import { asked, charged, ends, finished, predicted, produced, replayed, resumes, sent } from './steps.js';

/** A person is asked, and answers in a later process: approved, denied, or not what was asked for. */
export function approval(): Story {
  const book = sent(new SessionBook('plain'));
  const step = book.step();
  book.answered(step, asking(refund));
  const asks = book.asksApproval(step, refund);
  const state = run('paused', 'approve');
  const person = { tool_call_id: 'call-1', by: 'operator' };
  const key = `s-1/run-a/${batchOf(step)}/call-1`;
  const approved = book.continued();
  const seq = approved.decides(step, refund, asks, 'approved');
  const only = book.continued();
  only.decides(step, refund, asks, 'approved');
  const denied = book.continued();
  denied.decides(step, refund, asks, 'denied');
  const goesOn = approved.continued(3000);
  goesOn.barrier(goesOn.resume({ replayed: replayed(1, 1, 0), redone: [key], indeterminate: [] }));
  goesOn.plan(step, [{ ...refund, approval: seq }]);
  goesOn.dispatch(step, refund);
  charged(goesOn, step, refund);
  ends(goesOn);
  const goesWithout = denied.continued(3000);
  goesWithout.barrier(goesWithout.resume({ replayed: replayed(1, 1, 0), redone: [], indeterminate: [] }));
  goesWithout.plan(step, [{ ...refund, reason: 'denied' }]);
  goesWithout.barrier(...goesWithout.closed(step, [refund], ['This call was not dispatched: a person denied it.']));
  ends(goesWithout);
  const nobody = book.continued();
  const unasked: SessionRefusal = { reason: 'nothing_open', operation: 'approve', on: key, drift: [] };
  const still = book.continued();
  const refusal: SessionRefusal = { reason: 'approval_needed', operation: 'approve', on: key, drift: [] };
  return {
    producer: { book, ...produced, provider: 'refunds', expect: { ...figures('completed', 'undecided', book), ...state } },
    approve: {
      ...{ book: approved, ...resumes, operation: 'approve', input: { ...person, decision: 'approved' } },
      expect: { ...figures('completed', 'undecided', approved), ...run('tools_due', 'run_tools') },
    },
    deny: {
      ...{ book: denied, ...resumes, operation: 'approve', input: { ...person, decision: 'denied' } },
      expect: { ...figures('completed', 'undecided', denied), ...run('tools_due', 'run_tools') },
    },
    'approve-only': {
      ...{ book: only, ...resumes, operation: 'approve', input: { ...person, decision: 'approved' } },
      expect: { ...figures('completed', 'undecided', only), ...run('tools_due', 'run_tools') },
    },
    'approve-resume': {
      ...{ book: goesOn, ...resumes, provider: 'answers', from: 'approve' },
      expect: { ...figures('completed', 'completed_once', goesOn), ...finished },
    },
    'deny-resume': {
      ...{ book: goesWithout, ...resumes, provider: 'answers', from: 'deny' },
      expect: { ...figures('completed', 'completed_once', goesWithout), ...finished },
    },
    unasked: {
      ...{ book: nobody, ...resumes, operation: 'approve', refusal: unasked },
      input: { ...person, tool_call_id: 'call-2', decision: 'approved' },
      expect: { ...figures('refused', 'refused', nobody), ...state, session_refusal: predicted(unasked) },
    },
    resume: {
      ...{ book: still, ...resumes, refusal },
      expect: { ...figures('refused', 'refused', still), ...state, session_refusal: predicted(refusal) },
    },
  };
}

/** The model had said all it had to say, and the end of the run was not recorded. */
export function naturalEnd(): Story {
  const book = sent(new SessionBook('plain'));
  const step = asked(book);
  book.dispatch(step, charge);
  charged(book, step);
  const last = book.step();
  book.answered(last, saying('Done.'));
  const ended = book.continued();
  ended.barrier(ended.resume({ replayed: replayed(1, 2, 1), redone: [], indeterminate: [] }));
  ended.barrier(ended.turn(last, 'Done.'), ended.end('completed'));
  const state = run('natural_end', 'finalize');
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'charges', kill: at('model_step_finished', 2) },
      expect: { ...figures('killed', 'undecided', book), ...state },
    },
    resume: { book: ended, ...resumes, expect: { ...figures('completed', 'completed_once', ended), ...finished } },
  };
}

/** The plan was recorded and no intent: nothing can have left. The arm that dispatches it meets a key that was asked for once. */
export function planned(): Story {
  const book = sent(new SessionBook('plain'));
  const step = book.step();
  book.answered(step, asking(charge));
  book.plan(step, [charge], false);
  const resumed = book.continued();
  const key = `s-1/run-a/${batchOf(step)}/call-1`;
  resumed.barrier(
    resumed.resume({ replayed: replayed(1, 1, 0), redone: [key], indeterminate: [] }),
    ...resumed.intents(step, [charge]),
  );
  resumed.dispatch(step, charge);
  charged(resumed, step);
  ends(resumed);
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'charges', kill: at('tool_batch_started') },
      expect: { ...figures('killed', 'undecided', book), ...run('tools_due', 'run_tools') },
    },
    resume: {
      book: resumed,
      ...resumes,
      provider: 'answers',
      expect: { ...figures('completed', 'completed_once', resumed), ...finished },
    },
  };
}

/** Several calls at once, each with another fate; the unknown one may go on. */
export function several(): Story {
  const calls = [
    { id: 'call-1', name: 'look', arguments: '{"amount":7}' },
    { id: 'call-2', name: 'wipe', arguments: '{"amount":7}', reason: 'policy_blocked' },
    { id: 'call-3', name: 'none', arguments: '{}', reason: 'unknown_tool' },
    { id: 'call-4', name: 'charge', arguments: '{"amount":"7"}', reason: 'invalid_arguments' },
    { id: 'call-5', name: 'local', arguments: '{}' },
    { id: 'call-6', name: 'charge', arguments: '{"amount":7}' },
  ] as const;
  const bare = calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  const book = sent(new SessionBook('parallel'));
  const step = book.step();
  book.answered(step, asking(...bare));
  book.plan(step, calls);
  const [look, local, last] = [calls[0], calls[4], calls[5]];
  book.dispatch(step, look, { ended: 'dropped', effect: null, status: null });
  book.dispatch(step, local, { pid: book.pid + 7 });
  book.dispatch(step, last);
  book.barrier(book.result(step, last, 'completed'));
  book.barrier(book.result(step, local, 'completed', 'local says so'));
  book.barrier(book.result(step, look, 'unknown'));
  const unknown = 'There is no recorded result of this call. It may have happened; find out before you ask for it again.';
  const not = (why: string) => `This call was not dispatched: ${why}.`;
  book.barrier(
    ...book.closed(step, bare, [
      ...[unknown, not('the policy of this session forbids it'), not('there is no such tool')],
      ...[not('its arguments are not those of the tool'), 'local says so', done],
    ]),
  );
  ends(book);
  return {
    producer: { book, ...produced, provider: 'several', expect: { ...figures('completed', 'undecided', book), ...finished } },
  };
}

/** The last step that a run may take asks for a call. */
export function stopped(): Story {
  const book = sent(new SessionBook('short'));
  const step = book.step();
  book.answered(step, asking(charge));
  book.plan(step, [charge], false);
  book.barrier(book.result(step, charge, 'max_steps'), ...book.closed(step, [charge], []));
  book.barrier(book.end('max_steps'));
  const state = run('finished', 'none', 'max_steps');
  return {
    producer: { book, ...produced, provider: 'charges', expect: { ...figures('completed', 'undecided', book), ...state } },
  };
}

/** A cancel takes effect when the step and its batch are done. */
export function cancelled(): Story {
  const book = sent(new SessionBook('cancelled'));
  const step = book.step();
  book.cancel('step_boundary');
  book.answered(step, asking(charge));
  book.plan(step, [charge]);
  book.dispatch(step, charge);
  charged(book, step);
  book.barrier(book.end('cancelled'));
  const state = run('finished', 'none', 'cancelled');
  return {
    producer: { book, ...produced, provider: 'charges', expect: { ...figures('completed', 'undecided', book), ...state } },
  };
}

/** Messages that wait, one that is taken back, one that goes first, one that joins the running turn. */
export function inbox(): Story {
  const book = new SessionBook('inbox');
  const queued = (submission_id: string, text: string, interrupts = false) =>
    book.barrier({
      type: 'queued',
      payload: { submission_id, input: { text }, ...(interrupts ? { delivery: 'interrupt' as const } : {}) },
    });
  queued('sub-1', 'Then this.');
  queued('sub-2', 'Never mind.');
  book.barrier({ type: 'retracted', payload: { submission_id: 'sub-2' } });
  queued('sub-3', 'First this.', true);
  sent(book);
  const step = asked(book);
  book.dispatch(step, charge);
  book.barrier(book.result(step, charge, 'completed'));
  book.steer('Only seven.', 'steer-1');
  book.barrier(...book.closed(step, [charge], [done]));
  ends(book);
  book.send('sub-3', 'First this.', 'sub-3');
  ends(book);
  book.send('sub-1', 'Then this.', 'sub-1');
  ends(book);
  const runs = ['run-a', 'sub-3', 'sub-1'].map((run_id) => ({ ...finished.session.runs[0]!, run_id }));
  const session = { next_operation: 'none' as const, queue: [], runs };
  return {
    producer: { book, ...produced, provider: 'charges', expect: { ...figures('completed', 'completed_once', book), session } },
  };
}

/** Its configuration was not frozen: it renders while its process lives, and no later one can know what it would render. */
export function thawed(): Story {
  const book = sent(new SessionBook('thawed'));
  const refusal: SessionRefusal = { reason: 'frozen_render_config_unverifiable', operation: 'run_step', on: 'run-a', drift: [] };
  const still = book.continued();
  const state = run('step_due', 'run_step');
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'charges', kill: at('run_started') },
      expect: { ...figures('killed', 'undecided', book), ...state },
    },
    resume: {
      ...{ book: still, ...resumes, refusal },
      expect: { ...figures('refused', 'refused', still), ...state, session_refusal: predicted(refusal) },
    },
  };
}
