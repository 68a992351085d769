/**
 * What the cases of the small bundle did, told event by event: two controls, a resume, a held request, a kill at the first event, a
 * retry under an honoured key, a planted reach.
 */
import type { Answer, Plan } from '../contract/types.js';
import type { Expectation, Kill } from '../read/plan.js';
import { Book } from './world.js';

export interface Ran {
  readonly book: Book;
  readonly role: 'produce' | 'resume' | 'restart';
  readonly kill: Kill;
  readonly expect: Expectation;
  /** The script that the provider follows; without one it answers. */
  readonly provider?: keyof typeof scripts;
  readonly refusal?: Answer['refusal'];
  readonly egress?: number;
}

const answers = { do: 'answer' } as const;
export const scripts = {
  answers: { key: 'ignore', otherwise: answers, requests: [] },
  holds: { key: 'ignore', otherwise: answers, requests: [{ do: 'hold', effect: 'committed' }] },
  honours: { key: 'honour', otherwise: answers, requests: [{ do: 'drop', when: 'after_commit' }] },
} satisfies Plan['providers'];

/** What each case did, snapshot by snapshot; the first is the producer. */
export function stories(): Record<string, Record<string, Ran>> {
  const opened = (): Book => new Book().open();
  const at = (checkpoint: string): Kill => ({ at: 'checkpoint', checkpoint, occurrence: 1 });
  const figures = (ended: Expectation['ended'], outcome: Expectation['outcome'], { events, receipts }: Book): Expectation => {
    const received = receipts.filter(({ kind }) => kind === 'received').length;
    const effects = receipts.filter((line) => line.kind === 'settled' && line.effect?.replayed === false).length;
    return { ended, events: events.length, receipts: received, effects, outcome };
  };
  const refusal = {
    call_id: null,
    drift: [],
    error: 'ResumeRefused' as const,
    hazard: 'unsafe' as const,
    operation: 'reconcile_effect' as const,
  };
  const refused = (book: Book): Ran => {
    const { call_id: _call, ...predicted } = refusal;
    return { book, role: 'resume', kill: null, expect: { ...figures('refused', 'refused', book), refusal: predicted }, refusal };
  };

  const control = opened();
  const controlCall = control.want(control.compile());
  control.manifest(controlCall);
  control.run(controlCall);

  const intended = opened();
  const intendedCall = intended.want(intended.compile());
  intended.manifest(intendedCall);
  const resumed = intended.copy();
  resumed.pid = 2000;
  resumed.resume(intendedCall);

  const held = opened();
  const heldCall = held.want(held.compile());
  held.manifest(heldCall);
  held.start(heldCall);
  held.serve('gone_while_held');
  const naive = held.copy();
  naive.pid = 2000;
  const again = naive.want(heldCall.compilation_id ?? '');
  naive.manifest(again);
  naive.run(again);
  const restart = (pid: number): Ran => {
    const book = naive.copy();
    book.pid = pid;
    return { book, role: 'restart', kill: null, expect: figures('completed', 'duplicated', naive) };
  };

  const first = new Book();
  first.add('task.created', { title: 'Review a paragraph' });

  const honoured = opened();
  const honouredCall = honoured.want(honoured.compile());
  honoured.manifest(honouredCall, true);
  const lost = honoured.start(honouredCall);
  honoured.serve('dropped');
  honoured.broken(lost);
  honoured.add('attempt.retry_decided', { decision: 'retry', reason: 'broken_key_honoured' }, lost);
  const second = honoured.start(honouredCall, 2);
  honoured.serve('answered', true);
  honoured.observe(second);
  honoured.finish(second);
  const done = {
    duplicate_risk: false,
    next_operation: 'none',
    outcome: 'succeeded',
    provider_effect: 'happened',
    stage: 'completed',
  } as const;

  const reached = opened();

  return {
    control: {
      producer: { book: control, role: 'produce', kill: null, expect: figures('completed', 'completed_once', control) },
    },
    manifest: {
      producer: { book: intended, role: 'produce', kill: at('call.manifest'), expect: figures('killed', 'undecided', intended) },
      resume: { book: resumed, role: 'resume', kill: null, expect: figures('completed', 'completed_once', resumed) },
    },
    held: {
      producer: {
        book: held,
        role: 'produce',
        provider: 'holds',
        kill: { at: 'held' },
        expect: figures('killed', 'undecided', held),
      },
      resume: refused(held.copy()),
      naive: restart(2000),
      'naive-again': restart(2000),
    },
    first: {
      producer: { book: first, role: 'produce', kill: at('task.created'), expect: figures('killed', 'undecided', first) },
      resume: refused(first.copy()),
    },
    honoured: {
      producer: {
        book: honoured,
        role: 'produce',
        provider: 'honours',
        kill: null,
        expect: { ...figures('completed', 'completed_once', honoured), calls: [done] },
      },
    },
    reached: {
      producer: {
        book: reached,
        role: 'produce',
        kill: null,
        expect: { ...figures('failed', 'undecided', reached), egress_refused: 1 },
        egress: 1,
      },
    },
  };
}
