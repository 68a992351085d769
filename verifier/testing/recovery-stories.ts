/**
 * What the recoveries of the small bundle did: a look-up that finds the response, an operator who has it, a fence with the request on
 * its way, a duplicate that was accepted, drift from a spec, a race, two stopped owners, and a recovery killed at each of its commits.
 */
import { drifted, driftedLater } from './drift-stories.js';
import { answer } from './scenario.js';
import * as recover from './recoveries.js';
import { at, figures, predicted, type Ran, type Refusal, type Story } from './ran.js';
import { Book, type Ids } from './world.js';

const resumes = { role: 'resume', kill: null } as const;
const operator = { by: 'operator', note: 'Seen on the account.' };

export function recoveryStories(): Record<string, Story> {
  return {
    asked: asked(),
    delayed: delayed(),
    accepted: accepted(),
    drifted: drifted(),
    'drifted-later': driftedLater(),
    raced: raced(),
    stopped: stopped(),
    again: again(),
    moved: moved(),
  };
}

/** A record with its manifest, and the call. */
function intended(): { book: Book; call: Ids } {
  const book = new Book().open();
  book.specs = true;
  const call = book.want(book.compile());
  book.manifest(call);
  return { book, call };
}

/** Killed while the provider held the request; the effect had happened. */
function held(): { producer: Ran; attempt: Ids } {
  const { book, call } = intended();
  const attempt = book.start(call);
  book.serve(attempt, { ended: 'gone_while_held' });
  const expect = figures('killed', 'undecided', book);
  return { producer: { book, role: 'produce', provider: 'holds', kill: { at: 'held' }, expect }, attempt };
}

const afterResponse = ['attempt.observed', 'attempt.completed', 'result.recorded'] as const;

/** Killed after a checkpoint of the straight path behind the response. */
function answeredUpTo(checkpoint: (typeof afterResponse)[number]): { producer: Ran; attempt: Ids } {
  const { book, call } = intended();
  const attempt = book.start(call);
  book.serve(attempt);
  book.observe(attempt);
  const reached = afterResponse.indexOf(checkpoint);
  if (reached >= 1) {
    book.interpret(attempt);
    book.decide(attempt);
    book.add('attempt.completed', { outcome: 'succeeded' }, attempt);
  }
  if (reached >= 2) book.record(attempt);
  return { producer: { book, role: 'produce', kill: at(checkpoint), expect: figures('killed', 'undecided', book) }, attempt };
}

function asked(): Story {
  const { producer, attempt } = held();
  const found = producer.book.continued();
  recover.lookUp(found, attempt, recover.found(found), { finding: 'served', reason: 'found' });
  recover.toTheEnd(found, attempt);
  const operations = ['reconcile_effect', 'reinterpret', 'redecide', 'finalize'] as const;
  const stated = producer.book.continued();
  recover.state(stated, attempt, operator);
  const response = { body: answer.toString('utf8'), content_type: 'application/json', status: 200 };
  const refusal: Refusal = {
    ...{ call_id: attempt.call_id ?? null, drift: [], error: 'RecoveryRefused' },
    ...{ hazard: 'unneeded', operation: 'reconcile_effect' },
  };
  const refused = producer.book.continued();
  const lagged = producer.book.continued();
  recover.lookUp(lagged, attempt, recover.notFound, { finding: 'unknown', reason: 'not_found' });
  return {
    producer,
    lag: {
      ...{ book: lagged, ...resumes, provider: 'lags', operation: 'recover', operations: ['reconcile_effect'] },
      expect: { ...figures('completed', 'undecided', lagged), reconciled: [{ finding: 'unknown', reason: 'not_found' }] },
    },
    recover: {
      ...{ book: found, ...resumes, provider: 'tells', operation: 'recover', operations },
      expect: {
        ...{ ...figures('completed', 'completed_once', found), questions: 1, operations: [...operations] },
        reconciled: [{ finding: 'served', reason: 'found' }],
      },
    },
    state: {
      ...{ book: stated, ...resumes, operation: 'reconcile_effect', operations: ['reconcile_effect'] },
      input: { ...operator, finding: 'served', response },
      expect: { ...figures('completed', 'undecided', stated), reconciled: [{ finding: 'served', reason: 'stated' }] },
    },
    refuse: {
      ...{ book: refused, ...resumes, operation: 'finalize', refusal },
      expect: { ...figures('refused', 'refused', refused), refusal: predicted(refusal) },
    },
  };
}

function delayed(): Story {
  const { book, call } = intended();
  const attempt = book.start(call);
  book.provider.delay(book.sent(attempt));
  const fenced = book.continued();
  recover.fence(fenced, attempt);
  fenced.provider.arriveFenced(fenced.sent(attempt));
  fenced.answered(recover.startAgain(fenced, attempt));
  const operations = ['reconcile_effect', 'start_next_attempt'] as const;
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'delays', kill: { at: 'held' } },
      expect: { ...figures('killed', 'undecided', book), delayed: 1 },
    },
    fence: {
      ...{ book: fenced, ...resumes, provider: 'fences', operation: 'recover', operations },
      expect: { ...figures('completed', 'completed_once', fenced), questions: 1, delayed: 0, operations: [...operations] },
    },
  };
}

function accepted(): Story {
  const { producer, attempt } = held();
  const decision = { by: 'operator', note: 'The draft is due.' };
  const lagged = producer.book.continued();
  recover.lookUp(lagged, attempt, recover.notFound, { finding: 'unknown', reason: 'not_found' });
  const decided = lagged.continued(3000);
  recover.accept(decided, attempt, decision);
  const paid = decided.continued(4000);
  paid.answered(recover.startAgain(paid, attempt));
  const call = { stage: 'completed', next_operation: 'none', provider_effect: 'happened', accepted_duplicates: 1 } as const;
  return {
    producer,
    ask: {
      ...{ book: lagged, ...resumes, provider: 'lags', operation: 'reconcile_effect', operations: ['reconcile_effect'] },
      expect: { ...figures('completed', 'undecided', lagged), reconciled: [{ finding: 'unknown', reason: 'not_found' }] },
    },
    accept: {
      ...{
        book: decided,
        ...resumes,
        from: 'ask',
        operation: 'accept_duplicate',
        operations: ['accept_duplicate'],
        input: decision,
      },
      expect: figures('completed', 'undecided', decided),
    },
    retry: {
      ...{ book: paid, ...resumes, from: 'accept', operation: 'start_next_attempt', operations: ['start_next_attempt'] },
      expect: { ...figures('completed', 'duplicated', paid), calls: [call] },
    },
  };
}

const ownerAlive: Refusal = { call_id: null, drift: [], error: 'OwnerAlive', hazard: null, operation: null };

function raced(): Story {
  const { producer, attempt } = answeredUpTo('attempt.completed');
  const won = producer.book.continued();
  won.record(attempt, recover.markOf(won, 'finalize'));
  won.end(attempt, recover.markOf(won, 'finalize'));
  return {
    producer,
    race: {
      ...{ book: won, ...resumes, operation: 'finalize', crash: { model: 'race', racers: 2, forced: true } },
      members: [
        { id: 'racer-1', pid: won.pid, operations: ['finalize'] },
        { id: 'racer-2', pid: 2001, refusal: ownerAlive },
      ],
      expect: { ...figures('several', 'completed_once', won), members: { completed: 1, failed: 0, refused: 1 } },
    },
  };
}

function stopped(): Story {
  const { producer, attempt } = answeredUpTo('attempt.observed');
  const zombie = { model: 'zombie', stop: { checkpoint: 'commit', occurrence: 1 }, other: { operation: 'recover' } } as const;
  const alone = producer.book.continued();
  recover.toTheEnd(alone, attempt);
  const overtaken = producer.book.continued();
  overtaken.interpret(attempt, recover.markOf(overtaken, 'reinterpret'));
  const owner = overtaken.pid;
  overtaken.provider.pid = 2001;
  overtaken.decide(attempt, recover.markOf(overtaken, 'redecide'));
  overtaken.close(attempt, recover.markOf(overtaken, 'finalize'));
  const members = { completed: 1, failed: 0, refused: 1 };
  return {
    producer,
    alone: {
      ...{ book: alone, ...resumes, operation: 'recover', crash: { ...zombie, defeat: 'none' } },
      members: [
        { id: 'owner', pid: alone.pid, operations: ['reinterpret', 'redecide', 'finalize'] },
        { id: 'other', pid: 2001, refusal: ownerAlive },
      ],
      expect: { ...figures('several', 'completed_once', alone), members },
    },
    overtaken: {
      ...{ book: overtaken, ...resumes, operation: 'recover', crash: { ...zombie, defeat: 'lease-deleted' } },
      members: [
        { id: 'owner', pid: owner, refusal: { ...ownerAlive, error: 'Overtaken' } },
        { id: 'other', pid: overtaken.pid, operations: ['redecide', 'finalize'] },
      ],
      expect: { ...figures('several', 'completed_once', overtaken), members },
    },
  };
}

/** A state folder that is moved away from an owner which had recorded its intent; it sends its request after the other has ended. */
function moved(): Story {
  const { book, call } = intended();
  const stop = { checkpoint: 'attempt.started', occurrence: 1 };
  const members = { completed: 1, failed: 1, refused: 0 };
  const kept = book.continued();
  const attempt = kept.start(kept.renew(call, recover.markOf(kept, 'start_call')));
  const late = (other: Book, served: Parameters<Book['serve']>[1]): Book => {
    Object.assign(other.provider, { pid: kept.pid, later: 200 });
    other.provider.serve(kept.sent(attempt), served);
    return other;
  };
  const owner = { id: 'owner', pid: kept.pid, failed: true, movedAway: kept } as const;
  const restored = book.continued(2001);
  restored.resume(call, recover.markOf(restored, 'start_call'));
  late(restored, {});
  const replaced = kept.continued(2001);
  replaced.provider.generation = kept.provider.generation;
  recover.fence(replaced, attempt);
  replaced.answered(recover.startAgain(replaced, attempt));
  late(replaced, { fenced: true });
  const arm = { ...resumes, operation: 'start_call' } as const;
  return {
    producer: { book, role: 'produce', kill: at('call.manifest'), expect: figures('killed', 'undecided', book) },
    restored: {
      ...{ book: restored, ...arm },
      crash: { model: 'zombie', stop, defeat: 'folder-restored', other: { operation: 'start_call' } },
      members: [owner, { id: 'other', pid: 2001, operations: ['start_call'] }],
      expect: { ...figures('several', 'duplicated', restored), members },
    },
    replaced: {
      ...{ book: replaced, ...arm, provider: 'fences' },
      crash: { model: 'zombie', stop, defeat: 'folder-replaced', other: { operation: 'recover' } },
      members: [owner, { id: 'other', pid: 2001, operations: ['reconcile_effect', 'start_next_attempt'] }],
      expect: { ...figures('several', 'completed_once', replaced), members },
    },
  };
}

/** One commit; killed before it and after it, and each time done again. */
function again(): Story {
  const { producer, attempt } = answeredUpTo('result.recorded');
  const arm = { ...resumes, operation: 'recover', operations: ['finalize'] } as const;
  const finalized = (book: Book): Book => (book.end(attempt, recover.markOf(book, 'finalize')), book);
  const whole = finalized(producer.book.continued());
  const expect = figures('completed', 'completed_once', whole);
  const { ended, effects, outcome } = expect;
  const part = { ...arm, partOf: 'finalize' } as const;
  const killed = { expect: { ended: 'killed' } } as const;
  const end = { expect: { ended, effects, outcome, same_events_as: 'finalize' } } as const;
  const [before, after] = [producer.book.continued(), finalized(producer.book.continued())];
  return {
    producer,
    finalize: {
      book: whole,
      ...arm,
      crash: { model: 'crash-in-recovery', commits: [1, 0], depth: 1, same_events: true },
      expect,
    },
    'finalize-k0': { book: before, ...part, ...killed, kill: at('projection.read') },
    'finalize-k0-end': { book: finalized(before.continued(3000)), ...part, ...end, from: 'finalize-k0' },
    'finalize-k1': { book: after, ...part, ...killed, kill: at('commit') },
    'finalize-k1-end': { book: after.continued(3000), ...part, ...end, from: 'finalize-k1', operations: [] },
  };
}
