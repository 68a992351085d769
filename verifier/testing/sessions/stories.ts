/**
 * What the cases of the small sessions did, record by record: two controls, a start that was only recorded, held requests of both legs, an
 * approval, several processes on one session, an end that was not recorded, a plan without its intents, several tools at once, a limit of
 * steps, a cancel, and messages.
 */
import { at } from '../ran.js';
import { SessionBook } from './book.js';
import { responseOf } from './shapes.js';
import { approval, cancelled, inbox, naturalEnd, planned, several, stopped, thawed } from './more-stories.js';
import { raced } from './races.js';
import { figures, run, type Ran, type SessionRefusal, type Story } from './ran.js';
import { asking, charge } from './scenario.js';
import { spread } from './spread.js';
import {
  asked,
  charged,
  completes,
  ends,
  finished,
  goesOn,
  interrupted,
  predicted,
  produced,
  replayed,
  resumes,
  sent,
} from './steps.js';

export function stories(): Record<string, Story> {
  return {
    control: control(),
    grouped: { producer: { ...completes(new SessionBook('grouped')), ...produced, provider: 'charges' } },
    started: started(),
    held: held(),
    'model-held': modelHeld(),
    'model-intent': modelIntent(),
    approval: approval(),
    raced: raced(),
    'natural-end': naturalEnd(),
    planned: planned(),
    several: several(),
    spread: spread(),
    stopped: stopped(),
    cancelled: cancelled(),
    inbox: inbox(),
    thawed: thawed(),
  };
}

function control(): Story {
  const book = sent(new SessionBook('plain'));
  const failed = book.step();
  book.request(failed, '{}', { status: 500, effect: null });
  book.attemptFinished(failed, '{}', 500);
  book.answered(failed, asking(charge), 2);
  book.plan(failed, [charge]);
  book.dispatch(failed, charge);
  charged(book, failed);
  ends(book);
  return {
    producer: { book, ...produced, provider: 'fails', expect: { ...figures('completed', 'completed_once', book), ...finished } },
  };
}

/** Nothing was asked for yet: whoever resumes does all of it, once. */
function started(): Story {
  const book = sent(new SessionBook('plain'));
  const producer = {
    book,
    role: 'produce',
    kill: at('run_started'),
    expect: { ...figures('killed', 'undecided', book), ...run('step_due', 'run_step') },
  } as const;
  const resumed = book.continued();
  resumed.barrier(resumed.resume({ replayed: replayed(1, 0, 0), redone: [], indeterminate: [] }));
  goesOn(resumed);
  const said = book.continued();
  said.barrier(said.resume({ replayed: replayed(1, 0, 0), redone: [], indeterminate: [] }));
  goesOn(said);
  const other = book.continued();
  const foreign: SessionRefusal = { reason: 'config_conflict', operation: null, on: null, drift: ['session_id'] };
  const strange = book.continued();
  const refusal: SessionRefusal = { reason: 'config_conflict', operation: 'run_step', on: 'run-a', drift: ['model'] };
  return {
    producer,
    resume: {
      book: resumed,
      ...resumes,
      provider: 'charges',
      expect: { ...figures('completed', 'completed_once', resumed), ...finished },
    },
    // The same message is the same run, and goes on with it.
    again: {
      ...{ book: said, ...resumes, provider: 'charges', operation: 'send', input: { run_id: 'run-a', text: 'Charge seven.' } },
      expect: { ...figures('completed', 'completed_once', said), ...finished },
    },
    elsewhere: {
      ...{ book: strange, ...resumes, scenario: 'elsewhere', refusal: foreign },
      expect: { ...figures('refused', 'refused', strange), session_refusal: predicted(foreign) },
    },
    drift: {
      ...{ book: other, ...resumes, scenario: 'other', refusal },
      expect: { ...figures('refused', 'refused', other), session_refusal: predicted(refusal) },
    },
  };
}

/** Killed while the provider held the charge; the effect had happened. */
function held(): Story {
  const book = sent(new SessionBook('plain'));
  const step = asked(book);
  book.dispatch(step, charge, { ended: 'gone_while_held' });
  const key = `s-1/run-a/${step.replace('step', 'batch')}/call-1`;
  const closed = book.continued();
  closed.barrier(
    closed.resume({ replayed: replayed(1, 1, 0), redone: [], indeterminate: [key] }),
    closed.result(step, charge, 'unknown'),
    ...closed.closed(step, [charge], []),
  );
  closed.barrier(closed.end('interrupted'));
  const naive = (): Ran => {
    const again = book.continued();
    again.dispatch(step, charge);
    charged(again, step);
    ends(again);
    return {
      book: again,
      role: 'restart',
      kill: null,
      provider: 'answers',
      expect: { ...figures('completed', 'duplicated', again), ...finished },
    };
  };
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'holdsTool', kill: { at: 'held' } },
      expect: { ...figures('killed', 'undecided', book), ...run('interrupted', 'close_out') },
    },
    resume: { book: closed, ...resumes, expect: { ...figures('completed', 'undecided', closed), ...interrupted } },
    naive: naive(),
    'naive-again': naive(),
  };
}

function modelHeld(): Story {
  const book = sent(new SessionBook('plain'));
  const step = book.step();
  book.request(step, responseOf(asking(charge)), { ended: 'gone_while_held' });
  const again = book.continued();
  again.barrier(again.resume({ replayed: replayed(1, 0, 0), redone: [step], indeterminate: [] }));
  goesOn(again);
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'holdsModel', kill: { at: 'held' } },
      expect: { ...figures('killed', 'undecided', book), ...run('step_due', 'run_step') },
    },
    resume: {
      book: again,
      ...resumes,
      provider: 'charges',
      expect: { ...figures('completed', 'completed_once', again), ...finished },
    },
  };
}

function modelIntent(): Story {
  const book = sent(new SessionBook('intent'));
  const step = book.step();
  book.request(step, responseOf(asking(charge)), { ended: 'gone_while_held' });
  const closed = book.continued();
  closed.barrier(closed.resume({ replayed: replayed(1, 0, 0), redone: [], indeterminate: [step] }));
  closed.barrier(closed.end('interrupted'));
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'holdsModel', kill: { at: 'held' } },
      expect: { ...figures('killed', 'undecided', book), ...run('model_unknown', 'close_out') },
    },
    resume: { book: closed, ...resumes, expect: { ...figures('completed', 'undecided', closed), ...interrupted } },
  };
}
