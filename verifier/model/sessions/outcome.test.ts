import { describe, expect, it } from 'vitest';
import { began, ofRun, recordsOf, type Written } from '../../testing/session-records.js';
import type { Request } from '../../read/receipts.js';
import { textSha256 } from '../../read/hash.js';
import { historyOf } from './fold.js';
import { outcomeOf } from './outcome.js';
import { callOfKey, countRequests, requestKind, stepOfKey, toolRequestOf, toolRequestText } from './requests.js';

const a = ofRun('run-a');
const key = 's-1/run-a/batch-3/c';
const stepKey = 's-1/run-a/step-3/1';
let effects = 0;

/** A request with an effect of its own, unless it replays one or has none. */
function served(path: string, idempotency_key: string | null, effect: 'own' | 'replay' | 'none' = 'own'): Request {
  const effect_id = `effect-${effect === 'own' ? (effects += 1) : effects}`;
  const happened = effect === 'none' ? null : { effect_id, name: 'x', replayed: effect === 'replay' };
  return { received: { path, idempotency_key }, settled: { effect: happened } } as object as Request;
}

const charged = (effect: 'own' | 'replay' | 'none' = 'own', of: string | null = key) => served('/effects/charge', of, effect);
const asked = served('/v1/chat/completions', stepKey);

const intended = (name = 'charge') => [
  began(),
  a.step(3),
  a.asks(3, ['c', name]),
  a.plans(3, 'sequential', ['c', name]),
  a.intends(3, 'c', name),
];
const ended = (name = 'charge', ...more: Written[]) => [
  ...intended(name),
  ...(more.length > 0 ? more : [a.result(3, 'c')]),
  a.batched(3),
  a.turned(3),
  a.ends(),
];

function outcome(all: Written[], requests: Request[], more: object = {}): string {
  return outcomeOf({
    history: historyOf(recordsOf(...all)),
    receipts: { requests },
    answered: 'completed',
    unchanged: false,
    ...more,
  });
}

describe('the outcome of a snapshot', () => {
  it('is not lost for a model request whose step a power loss took', () => {
    const lostSteps = new Set([stepKey]);
    expect(outcome([began()], [asked])).toBe('lost');
    expect(outcome([began()], [asked], { lostSteps })).toBe('undecided');
    expect(outcome([began()], [charged()], { lostSteps })).toBe('lost');
  });

  const failed = { type: 'tool_result' as const, payload: { ...a.result(3, 'c').payload, is_error: true } };

  it.each<[string, Written[], Request[], string]>([
    ['one effect of one intent', ended(), [asked, charged()], 'completed_once'],
    ['one effect, given again', ended(), [asked, charged(), charged('replay')], 'completed_once'],
    ['two effects of one key', ended(), [asked, charged(), charged()], 'duplicated'],
    ['two effects of one key without an intent', [began()], [charged('own', 'k'), charged('own', 'k')], 'duplicated'],
    ['two effects of a model request', ended(), [asked, served('/v1/chat/completions', stepKey), charged()], 'completed_once'],
    ['an effect without an intent', intended().slice(0, 4), [asked, charged()], 'lost'],
    ['an effect of another session', ended(), [asked, charged(), charged('own', 's-2/run-a/batch-3/c')], 'lost'],
    ['an effect without a key', ended(), [asked, charged(), charged('own', null)], 'lost'],
    ['an effect of a model request without a step', [began()], [served('/v1/chat/completions', stepKey)], 'lost'],
    ['an effect of a tool under the key of a step', ended(), [asked, charged(), charged('own', stepKey)], 'lost'],
    ['a success without an effect', ended(), [asked, charged('none')], 'lost'],
    ['a failure without an effect', ended('charge', failed), [asked, charged('none')], 'undecided'],
    ['nothing sent', ended('charge', a.result(3, 'c', 'not_sent')), [asked], 'undecided'],
    [
      'a result that nobody knows, its effect happened',
      ended('charge', a.result(3, 'c', 'unknown')),
      [asked, charged()],
      'completed_once',
    ],
    ['a run that has no end', intended(), [asked, charged()], 'undecided'],
    ['a run that was interrupted', [...intended(), a.ends('interrupted')], [asked, charged()], 'undecided'],
    ['two runs, one of them without an end', [...ended(), began({ run: 'run-b' })], [asked, charged()], 'undecided'],
    ['no run', [], [], 'undecided'],
    ['a command without an effect', ended('local'), [asked], 'completed_once'],
    ['a command with an effect of its own', ended('local'), [asked, charged()], 'completed_once'],
    ['a command with two', ended('local'), [asked, charged(), charged()], 'duplicated'],
  ])('%s', (_what, all, requests, wanted) => expect(outcome(all, requests)).toBe(wanted));

  it.each<[string, Written[], Request[], object, string]>([
    ['a refusal that left everything as it was', intended(), [asked], { answered: 'refused', unchanged: true }, 'refused'],
    ['a refusal that wrote something', intended(), [asked], { answered: 'refused', unchanged: false }, 'undecided'],
    ['a refusal after a duplicate', ended(), [charged(), charged()], { answered: 'refused', unchanged: true }, 'duplicated'],
    ['a refusal of what was done once', ended(), [asked, charged()], { answered: 'refused', unchanged: true }, 'refused'],
  ])('%s', (_what, all, requests, more, wanted) => expect(outcome(all, requests, more)).toBe(wanted));
});

describe('requests', () => {
  it('are told apart by their path', () => {
    const paths = ['/v1/chat/completions', '/v1/chat/completions?x=1', '/effects/charge', '/keys/k', '/v1/models'];
    expect(paths.map((path) => requestKind({ path }))).toEqual(['model', 'model', 'tool', null, null]);
    expect(countRequests(paths.map((path) => ({ received: { path } })))).toEqual({ model_requests: 2, tool_requests: 1 });
  });

  const history = historyOf(recordsOf(...intended()));

  it.each<[string, string | null, number | null]>([
    ['of the first attempt', stepKey, 1],
    ['of a later attempt', 's-1/run-a/step-3/12', 12],
    ['of another step', 's-1/run-a/step-4/1', null],
    ['of another run', 's-1/run-b/step-3/1', null],
    ['of another session', 's-2/run-a/step-3/1', null],
    ['of no attempt', 's-1/run-a/step-3/0', null],
    ['of a call', key, null],
    ['that is missing', null, null],
  ])('for a model find their step by a key %s', (_what, asking, attempt) => {
    expect(stepOfKey(history, asking)?.attempt ?? null).toBe(attempt);
  });

  it('for a tool find their call by its key', () => {
    expect(callOfKey(history, key)?.id).toBe('c');
    expect([callOfKey(history, 'c'), callOfKey(history, null)]).toEqual([null, null]);
  });

  it('for a tool have the arguments as the model wrote them', () => {
    const text = '{"arguments":"{ \\"amount\\": 7 }","tool":"charge"}';
    expect(toolRequestText({ name: 'charge', arguments: '{ "amount": 7 }' })).toBe(text);
    const call = callOfKey(
      historyOf(recordsOf(began(), a.step(3), a.asks(3, ['c', 'charge', '{ "amount": 7 }'], ['d', 'local'], ['e', 'none']))),
      key,
    );
    expect(call === null ? null : toolRequestOf(call)).toEqual({ path: '/effects/charge', key, sha256: textSha256(text) });
    expect(call?.step.calls.slice(1).map(toolRequestOf)).toEqual([null, null]);
  });
});
