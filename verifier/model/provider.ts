/**
 * What the provider must have done with each request, by the script that its prefix was opened with: a model written from the
 * provider's own description and not from its code. Pure.
 *
 * Order of the rules: what no endpoint serves is refused; what answers without having looked at the key does; a fenced request is
 * refused; then an honoured key decides between a fresh effect, the first answer again, and a refusal; then the step says how the
 * answer travels. Steps are numbered anew in every prefix, over requests that arrive in time and those that are sent on their way;
 * look-ups are numbered among themselves. Keys, effects, fences and what is on its way go on from the log that a prefix continues.
 */
import type { ProviderScript } from '../contract/types.js';
import { isQuestion, type OnItsWay, type ReceiptLog, type Request, type Settled } from '../read/receipts.js';
import { answerWrong, questionEnds } from './provider-answers.js';
import { Keys, type Exchange } from './provider-keys.js';
import {
  effectIn,
  endpointOf,
  isWaiting,
  late,
  needsNoKey,
  preconditionFailed,
  questionOf,
  refused,
  ruledOut,
  rulingOf,
  type OnTime,
  type Ruling,
  type Step,
} from './provider-steps.js';

type Log = Pick<ReceiptLog, 'all' | 'delayed'>;

interface Departure {
  /** The line that departs. */
  readonly seq: number;
  readonly detail: string;
}

/** The bytes of an answer that a record kept, by their hash. */
export type KeptAnswers = ReadonlyMap<string, Uint8Array>;

/** Everything after the first `inherited` lines that did not go as the script says. What was never settled is left to G18. */
export function departures(log: Log, inherited: number, script: ProviderScript, kept: KeptAnswers = new Map()): Departure[] {
  const isNew = ({ received }: Request): boolean => received.seq > inherited;
  const before = log.all.filter((request) => !isNew(request));
  const added = log.all.filter(isNew);
  const keys = new Keys();
  keys.inherit(before.filter((request) => !isQuestion(request)));
  for (const request of log.all.filter(isQuestion)) raiseFence(request, keys);
  const steps = stepsOf(log, inherited, script);
  const questions = added.filter(isQuestion);
  // A held question is told what is true at its end, so whatever came before that must be known first.
  const served = added.filter((request) => !isQuestion(request));
  return [
    ...served.flatMap((request) => requestWrong(request, steps, script, keys)),
    ...arrivalsWrong(served, questions, script),
    ...questionsWrong(questions, script, keys, kept),
    ...waysWrong(log.delayed, inherited, steps, questions, script),
  ];
}

function requestWrong(request: Request, steps: ReadonlyMap<number, Step>, script: ProviderScript, keys: Keys): Departure[] {
  const { received, settled } = request;
  const isLate = received.delayed !== undefined;
  const step = isLate ? null : (steps.get(received.seq) ?? script.otherwise);
  if (step?.do === 'delay_arrival')
    return [{ seq: received.seq, detail: 'The request arrived; by its script it is sent on its way.' }];
  const { ruling, name, exchange } = judged(request, step, script, keys);
  return wrongEnd(settled, ruling, name, exchange);
}

function questionsWrong(questions: readonly Request[], script: ProviderScript, keys: Keys, kept: KeptAnswers): Departure[] {
  let lookups = 0;
  return questions.flatMap((request) => {
    const question = questionOf(request.received);
    if (question.kind === 'refused') return wrongEnd(request.settled, refused(question.status));
    const isFence = question.kind === 'fence';
    if (isFence ? script.fence !== true : script.lookup === undefined) return wrongEnd(request.settled, refused(501));
    const step = isFence ? null : (script.lookup?.requests[lookups++] ?? script.lookup?.otherwise ?? null);
    const truth = keys.truth(question.key, request.settled?.seq ?? Infinity);
    const wrong = wrongEnd(request.settled, questionEnds({ question, step }, truth));
    const body = kept.get(request.settled?.response_sha256 ?? '');
    const said = wrong.length > 0 || body === undefined ? null : answerWrong({ question, step }, truth, request, body);
    return said === null ? wrong : [{ seq: request.settled?.seq ?? request.received.seq, detail: said }];
  });
}

/**
 * By its line, the step of each request that takes one: those that arrive in time, and those that are sent on their way. Requests of an
 * effect that has steps of its own are numbered apart, and the others without them.
 */
export function stepsOf({ all, delayed }: Log, inherited: number, script: ProviderScript): ReadonlyMap<number, Step> {
  const onTime = all.filter((request) => !isQuestion(request) && request.received.delayed === undefined);
  const lines = [...onTime.map(({ received }) => received), ...delayed.map(({ line }) => line)];
  const added = lines.filter(({ seq }) => seq > inherited).sort((left, right) => left.seq - right.seq);
  const numbers = new Map<string | null, number>();
  return new Map(
    added.map(({ seq, path }) => {
      const name = effectIn(path);
      const own = name !== null && Object.hasOwn(script.effects ?? {}, name) ? script.effects?.[name] : undefined;
      const list = own === undefined ? null : name;
      const index = numbers.get(list) ?? 0;
      numbers.set(list, index + 1);
      const { requests, otherwise } = own ?? script;
      return [seq, requests[index] ?? otherwise];
    }),
  );
}

/** A fence holds from its line on, whatever it finds; one that was refused, or is not offered, never held. */
function raiseFence({ received, settled }: Request, keys: Keys): void {
  const question = questionOf(received);
  const isRaised = settled?.status === 200 || settled?.status === 409;
  if (question.kind === 'fence' && isRaised) keys.fence(question.key, question.token, received.seq);
}

interface Judged {
  readonly ruling: Ruling;
  readonly name: string;
  /** Whose answer is given again. */
  readonly exchange?: Exchange;
}

/** Without a step the request was on its way and arrives late. */
function judged({ received, settled }: Request, step: OnTime | null, script: ProviderScript, keys: Keys): Judged {
  const none = (status: number): Ruling => (step === null ? late({ status, effect: 'none' }) : refused(status));
  const endpoint = endpointOf(received, script.strict);
  if ('status' in endpoint) return { ruling: none(endpoint.status), name: '' };
  const { name } = endpoint;
  if (step !== null && needsNoKey(step)) return { ruling: rulingOf(step, 'own'), name };
  if (keys.isFenced(received, received.seq)) return { ruling: none(preconditionFailed), name };
  const key = script.key === 'honour' ? received.idempotency_key : null;
  const first = key === null ? undefined : keys.holder(key, received.seq);
  const waits = step !== null && isWaiting(step);
  const own: Exchange = {
    ...{ name, received, settled },
    over: waits ? (settled?.seq ?? Infinity) : received.seq,
    isOpenEnded: step?.do === 'hold' && step.effect === 'none',
  };
  // The fence may come while the request waits.
  const isRuledOut = own.isOpenEnded && keys.isFenced(received, settled?.seq ?? 0);
  if (first === undefined) {
    keys.admit(own);
    if (isRuledOut) return { ruling: ruledOut, name };
    return { ruling: step === null ? late({ status: 200, effect: 'own' }) : rulingOf(step, 'own'), name };
  }
  if (first.received.body_sha256 !== received.body_sha256 || first.name !== name) return { ruling: none(422), name };
  if (keys.isOpen(first, received.seq)) return { ruling: none(409), name };
  keys.admit(own);
  if (isRuledOut) return { ruling: ruledOut, name };
  const status = first.settled?.status ?? null;
  const ruling = step === null ? late({ status, effect: 'replay' }) : rulingOf(step, 'replay', status);
  return { ruling, name, exchange: first };
}

/** The line with which the question ends that lets arrive what is on its way; undefined where there was none, or it has no end. */
function openingIn(questions: readonly Request[], { arrivals }: ProviderScript): number | undefined {
  return arrivals === undefined ? undefined : questions[arrivals.after_questions - 1]?.settled?.seq;
}

/** What is on its way arrives right after the question that the script names, one line after the other, before anything else follows. */
function arrivalsWrong(served: readonly Request[], questions: readonly Request[], script: ProviderScript): Departure[] {
  const opening = openingIn(questions, script);
  const arrived = served.map(({ received }) => received).filter(({ delayed }) => delayed !== undefined);
  return arrived.flatMap(({ seq }, index) =>
    opening !== undefined && seq === opening + 1 + 2 * index
      ? []
      : [{ seq, detail: 'A request that was on its way arrived at another moment than its script says.' }],
  );
}

function waysWrong(
  ways: readonly OnItsWay[],
  inherited: number,
  steps: ReadonlyMap<number, Step>,
  questions: readonly Request[],
  script: ProviderScript,
): Departure[] {
  const opening = openingIn(questions, script);
  return ways.flatMap(({ line: { seq }, arrival }): Departure[] => {
    if (seq > inherited && steps.get(seq)?.do !== 'delay_arrival')
      return [{ seq, detail: 'The request was sent on its way; by its script it arrives.' }];
    const isDue = opening !== undefined && seq < opening && arrival === undefined;
    return isDue ? [{ seq, detail: 'The request is still on its way; by its script it has arrived.' }] : [];
  });
}

function wrongEnd(settled: Settled | undefined, ruling: Ruling, name = '', first?: Exchange): Departure[] {
  if (settled === undefined) return [];
  const { seq } = settled;
  const ending = ruling[settled.ended];
  if (ending === undefined) {
    const ways = Object.keys(ruling).join(' or ');
    return [{ seq, detail: `The request ended as ${settled.ended}; by its script it ends as ${ways}.` }];
  }
  const { status, response_sha256: response, effect } = settled;
  const say = (detail: string): Departure[] => [{ seq, detail }];
  if (status !== ending.status) return say(`The status is ${status}; by its script it is ${ending.status}.`);
  if ((response === null) !== (status === null)) return say('An answer has a status and bytes, and where there is none neither.');
  if (ending.effect === 'none') return effect === null ? [] : say('The request had an effect that its script does not give it.');
  if (effect === null) return say('The request had no effect, although its script gives it one.');
  if (effect.name !== name) return say('The effect has another name than the endpoint.');
  if (effect.replayed !== (ending.effect === 'replay')) return say('A key was honoured where it is ignored, or the reverse.');
  if (!effect.replayed) return [];
  const isSame = effect.effect_id === first?.settled?.effect?.effect_id && response === first.settled.response_sha256;
  return isSame ? [] : say('A replay is not the first answer of its key.');
}
