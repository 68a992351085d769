/**
 * What the cases of the small bundle did, told event by event: two controls, a resume, a held request, a kill at the first event, a
 * retry under an honoured key, a planted reach; and the recoveries, which are told apart.
 */
import { at, figures, predicted, type Ran, type Refusal, type Story } from './ran.js';
import { powerLossStory } from './power-loss-story.js';
import { faultStory, ratchetStory } from './ratchet-story.js';
import { recoveryStories } from './recovery-stories.js';
import { Book } from './world.js';

/** What each case did, snapshot by snapshot; the first is the producer. */
export function stories(): Record<string, Story> {
  const opened = (): Book => new Book().open();
  const refusal: Refusal = { call_id: null, drift: [], error: 'ResumeRefused', hazard: 'unsafe', operation: 'reconcile_effect' };
  const refused = (book: Book, call_id: string | null = null): Ran => {
    const expect = { ...figures('refused', 'refused', book), refusal: predicted(refusal) };
    return { book, role: 'resume', kill: null, expect, refusal: { ...refusal, call_id } };
  };

  const control = opened();
  const controlCall = control.want(control.compile());
  control.manifest(controlCall);
  control.run(controlCall);

  const intended = opened();
  const intendedCall = intended.want(intended.compile());
  intended.manifest(intendedCall);
  const resumed = intended.continued();
  resumed.resume(intendedCall);

  const held = opened();
  const heldCall = held.want(held.compile());
  held.manifest(heldCall);
  held.serve(held.start(heldCall), { ended: 'gone_while_held' });
  const restart = (): Ran => {
    const book = held.continued();
    const again = book.want(heldCall.compilation_id ?? '');
    book.manifest(again);
    book.run(again);
    return { book, role: 'restart', kill: null, expect: figures('completed', 'duplicated', book) };
  };

  const first = new Book();
  first.add('task.created', { title: 'Review a paragraph' });

  const honoured = opened();
  const honouredCall = honoured.want(honoured.compile());
  honoured.manifest(honouredCall, true);
  const lost = honoured.start(honouredCall);
  honoured.serve(lost, { ended: 'dropped' });
  honoured.broken(lost);
  honoured.add('attempt.retry_decided', { decision: 'retry', reason: 'broken_key_honoured' }, lost);
  const second = honoured.start(honouredCall, 2);
  honoured.serve(second, { replayed: true });
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
  const produced = { role: 'produce', kill: null } as const;

  return {
    control: { producer: { book: control, ...produced, expect: figures('completed', 'completed_once', control) } },
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
      resume: refused(held.continued(), heldCall.call_id),
      naive: restart(),
      'naive-again': restart(),
    },
    first: {
      producer: { book: first, role: 'produce', kill: at('task.created'), expect: figures('killed', 'undecided', first) },
      resume: refused(first.continued()),
    },
    honoured: {
      producer: {
        ...{ book: honoured, ...produced, provider: 'honours', scenario: 'honoured' },
        expect: { ...figures('completed', 'completed_once', honoured), calls: [done] },
      },
    },
    reached: {
      producer: {
        ...{ book: reached, ...produced, scenario: 'reached', egress: 1 },
        expect: { ...figures('failed', 'undecided', reached), egress_refused: 1 },
      },
    },
    ratchet: ratchetStory(refusal),
    lost: powerLossStory(refusal),
    fault: faultStory(refusal),
    ...recoveryStories(),
  };
}
