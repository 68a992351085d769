/**
 * The cases of the small sessions in which several processes act: answers and resumes that race, an owner that is stopped with its lease, one
 * whose lease or folder is taken away meanwhile, and one that is stopped before it took it.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { canonical } from '../../read/canonical.js';
import { SessionBook } from './book.js';
import { figures, run, type MemberRan, type Ran, type SessionRefusal, type Story } from './ran.js';
import { asking, refund } from './scenario.js';
import { batchOf, done } from './shapes.js';
import { charged, ends, finished, interrupted, produced, replayed, resumes, sent } from './steps.js';

const approving = {
  operation: 'approve',
  input: { tool_call_id: 'call-1', by: 'operator', decision: 'approved' },
} as const;

const cancelNow = { operation: 'cancel', input: { at: 'now' } } as const;

interface Paused {
  readonly book: SessionBook;
  readonly step: string;
  /** The seq of the question. */
  readonly asks: number;
}

function paused(): Paused {
  const book = sent(new SessionBook('plain'));
  const step = book.step();
  book.answered(step, asking(refund));
  return { book, step, asks: book.asksApproval(step, refund) };
}

const keyOf = (step: string): string => `s-1/run-a/${batchOf(step)}/call-1`;

/** The answer of a person on record, by a process of its own. */
function answered({ book, step, asks }: Paused, pid = 2000): { book: SessionBook; seq: number } {
  const own = book.continued(pid);
  return { book: own, seq: own.decides(step, refund, asks, 'approved') };
}

/** A resume up to the intent of the call. */
function intended(approved: SessionBook, step: string, approval: number, pid: number): SessionBook {
  const own = approved.continued(pid);
  own.barrier(own.resume({ replayed: replayed(1, 1, 0), redone: [keyOf(step)], indeterminate: [] }));
  own.plan(step, [{ ...refund, approval }]);
  return own;
}

/** A resume to the end of the run. */
function carriedOut(approved: SessionBook, step: string, approval: number, pid: number): SessionBook {
  const own = intended(approved, step, approval, pid);
  own.dispatch(step, refund);
  charged(own, step, refund);
  ends(own);
  return own;
}

/** Nobody knows what came of a call: the run is closed. */
function closedOut(open: SessionBook, step: string, pid: number): SessionBook {
  const own = open.continued(pid);
  own.barrier(
    own.resume({ replayed: replayed(1, 1, 0), redone: [], indeterminate: [keyOf(step)] }),
    own.result(step, refund, 'unknown'),
    ...own.closed(step, [refund], []),
  );
  own.barrier(own.end('interrupted'));
  return own;
}

/** A message closes out what nobody can know and is a run of its own: no resume of the other one. */
function leftFor(open: SessionBook, step: string, pid: number): SessionBook {
  const own = open.continued(pid);
  own.barrier(own.result(step, refund, 'unknown'), ...own.closed(step, [refund], [sessionLogV1.texts.unknown]));
  own.barrier(own.end('interrupted'));
  own.send('run-b', 'What now?');
  ends(own);
  return own;
}

/** The same of a call that has no intent in this folder, while the owner of another one sends it. */
function leftUndispatched(approved: SessionBook, step: string, pid: number, late: number): SessionBook {
  const own = approved.continued(pid);
  own.plan(step, [refund], false);
  own.barrier(own.result(step, refund, 'interrupted'), ...own.closed(step, [refund], [sessionLogV1.texts.interrupted]));
  own.barrier(own.end('interrupted'));
  own.send('run-b', 'What now?');
  ends(own);
  own.provider.later = 220;
  const key = keyOf(step);
  const body = canonical({ arguments: refund.arguments, tool: 'refund' });
  own.provider.serve({ path: '/effects/refund', key, body, effect: 'refund', response: done, pid: late });
  return own;
}

function cancelled(open: SessionBook, pid: number): SessionBook {
  const own = open.continued(pid);
  own.cancel('now');
  return own;
}

const nothing: Pick<SessionRefusal, 'operation' | 'on' | 'drift'> = { operation: 'none', on: null, drift: [] };

function several(
  book: SessionBook,
  members: readonly MemberRan[],
  outcome: Parameters<typeof figures>[1],
): Pick<Ran, 'book' | 'members' | 'expect' | 'role' | 'kill'> {
  const count = (fits: (member: MemberRan) => boolean): number => members.filter(fits).length;
  const refused = count(({ refusal }) => refusal !== undefined);
  const failed = count((member) => member.failed === true);
  const answers = { completed: members.length - refused - failed, failed, refused };
  return { ...resumes, book, members, expect: { ...figures('several', outcome, book), members: answers } };
}

const withState = (ran: Pick<Ran, 'expect'>, state: object): Pick<Ran, 'expect'> => ({ expect: { ...ran.expect, ...state } });

export function raced(): Story {
  const asked = paused();
  const { book, step } = asked;
  const { book: approved, seq } = answered(asked);
  const due = run('tools_due', 'run_tools');
  const settled: SessionRefusal = { reason: 'approval_settled', operation: 'run_tools', on: keyOf(step), drift: [] };
  const race = { model: 'race', racers: 2, forced: true } as const;
  const stopped = (checkpoint: string, defeat: 'none' | 'lease-deleted' | 'folder-replaced' | 'folder-restored') =>
    ({ model: 'zombie', stop: { checkpoint, occurrence: 1 }, defeat, other: { operation: 'recover' } }) as const;
  const held = intended(approved, step, seq, 3000);
  const both = several(answered(asked, 2100).book, [racer(1, 2100), racer(2, 2200, settled)], 'undecided');
  const kept = several(answered(asked, 2300).book, [owner(2300), other(2400, 'OwnerAlive')], 'undecided');
  const won = several(carriedOut(approved, step, seq, 3100), [racer(1, 3100), racer(2, 3200, 'OwnerAlive')], 'completed_once');
  const taken = several(closedOut(held, step, 3300), [owner(3000, { failed: true }), other(3300)], 'undecided');
  const away = intended(approved, step, seq, 3400);
  const replaced = several(cancelled(away, 3500), [owner(3400, { failed: true, movedAway: away }), other(3500)], 'undecided');
  const kept2 = intended(approved, step, seq, 3600);
  const restored = several(
    carriedOut(approved, step, seq, 3700),
    [owner(3600, { failed: true, movedAway: kept2 }), other(3700)],
    'completed_once',
  );
  const sending = { operation: 'send', input: { run_id: 'run-b', text: 'What now?' } } as const;
  const left = several(
    leftFor(intended(approved, step, seq, 4000), step, 4100),
    [owner(4000, { failed: true }), other(4100)],
    'undecided',
  );
  const kept3 = intended(approved, step, seq, 4200);
  const elsewhere = several(
    leftUndispatched(approved, step, 4300, 4200),
    [owner(4200, { failed: true, movedAway: kept3 }), other(4300)],
    'lost',
  );
  // The record of its word lies in the folder that was moved away; the other has no word of its own.
  const word = answered(asked, 4400).book;
  const spoken = several(book.continued(4500), [owner(4400, { movedAway: word }), other(4500)], 'undecided');
  const said = several(cancelled(approved, 4800), [racer(1, 4800), racer(2, 4900)], 'undecided');
  const unlike: SessionRefusal = { reason: 'run_conflict', operation: 'close_out', on: 'run-a', drift: [] };
  const clash = several(cancelled(book, 4700), [owner(4600, { refusal: unlike }), other(4700)], 'undecided');
  const late = several(
    carriedOut(approved, step, seq, 3900),
    [owner(3800, { refusal: { reason: 'nothing_open', ...nothing } }), other(3900)],
    'completed_once',
  );
  const answers = { provider: 'answers', from: 'approve' } as const;
  const cancelling = { ...stopped('tool_dispatch_intent', 'folder-replaced'), other: cancelNow } as const;
  return {
    producer: {
      ...{ book, ...produced, provider: 'refunds' },
      expect: { ...figures('completed', 'undecided', book), ...run('paused', 'approve') },
    },
    answers: { ...both, ...approving, crash: race, ...withState(both, due) },
    kept: {
      ...{ ...kept, ...approving, crash: { ...stopped('approval_resolved', 'none'), other: cancelNow } },
      ...withState(kept, due),
    },
    clash: {
      ...{ ...clash, operation: 'send', input: { run_id: 'run-a', text: 'Something else.' } },
      ...{ crash: { ...stopped('projection.read', 'none'), other: cancelNow } },
    },
    approve: { book: approved, ...resumes, ...approving, expect: { ...figures('completed', 'undecided', approved), ...due } },
    cancels: { ...said, ...answers, ...cancelNow, crash: race, ...withState(said, run('cancelling', 'close_out')) },
    resumes: { ...won, ...answers, crash: race, ...withState(won, finished) },
    overtaken: {
      ...taken,
      ...answers,
      crash: stopped('tool_dispatch_intent', 'lease-deleted'),
      ...withState(taken, interrupted),
    },
    replaced: { ...replaced, ...answers, crash: cancelling, ...withState(replaced, run('cancelling', 'close_out')) },
    restored: {
      ...restored,
      ...answers,
      crash: stopped('tool_dispatch_intent', 'folder-restored'),
      ...withState(restored, finished),
    },
    left: { ...left, ...answers, crash: { ...stopped('tool_dispatch_intent', 'lease-deleted'), other: sending } },
    elsewhere: { ...elsewhere, ...answers, crash: { ...stopped('tool_dispatch_intent', 'folder-restored'), other: sending } },
    spoken: { ...spoken, ...approving, crash: stopped('approval_resolved', 'folder-restored') },
    late: { ...late, ...answers, crash: stopped('projection.read', 'none'), ...withState(late, finished) },
  };
}

function racer(number: number, pid: number, refusal?: MemberRan['refusal']): MemberRan {
  return { id: `racer-${number}`, pid, ...(refusal === undefined ? {} : { refusal }) };
}

function owner(pid: number, more: Partial<MemberRan> = {}): MemberRan {
  return { id: 'owner', pid, ...more };
}

function other(pid: number, refusal?: MemberRan['refusal']): MemberRan {
  return { id: 'other', pid, ...(refusal === undefined ? {} : { refusal }) };
}
