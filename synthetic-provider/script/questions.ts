/**
 * What the provider says when it is asked about a key. Pure but for the fence that it sets in `Effects`.
 *
 * | the key's last request that can have, or had, an effect | look-up                | fence                          |
 * |---------------------------------------------------------|------------------------|--------------------------------|
 * | waits: held, or delayed by the script                   | 409                    | 409                            |
 * | had its effect, or was answered with the first one's    | 200, with that answer  | 200, with that answer          |
 * | there is none                                           | 404                    | 200, `fenced`, nothing `found` |
 *
 * A fence stands from then on whatever it finds, and it stands before it is answered: a request that it rules out is no longer in
 * progress. What was refused, dropped before the commit or given up without an effect has left nothing to tell of. What is on its way
 * is not known here: 404 is not a promise, a fence is. A look-up that is held tells what is true when it is released.
 */
import type { ProviderScript } from '../contract/types.js';
import { sha256 } from '../core/canonical.js';
import type { Effects } from './effects.js';
import { type Ending, type Reaction, failure, json, nothing } from './react.js';
import { lookupBehaviourOf } from './script.js';
import { type Question, fencedBody, foundBody, inProgressBody, malformedBody, notFoundBody } from '../wire/keys.js';

type Asked = Exclude<Question, { kind: 'refuse' }>;

/**
 * `lookups` counts the look-ups of the prefix, with this one; `request_sha256` is the hash that the question speaks of, which scripted
 * answers about "the same body" repeat.
 */
export function reactToQuestion(
  script: ProviderScript,
  effects: Effects,
  question: Question,
  lookups: number,
  request_sha256: string,
): Reaction {
  if (question.kind === 'refuse') return { do: 'answer', ending: json(question.status, question.bytes) };
  if (question.kind === 'fence' ? script.fence !== true : script.lookup === undefined)
    return { do: 'answer', ending: failure(501, `A ${question.kind} is not offered here.`) };
  if (question.kind === 'fence') {
    effects.fence(question.key, question.token);
    return { do: 'answer', ending: truth(effects, question) };
  }
  const step = lookupBehaviourOf(script, lookups);
  switch (step.do) {
    case 'tell':
      return { do: 'answer', ending: truth(effects, question) };
    case 'without_response':
      return { do: 'answer', ending: truth(effects, question, false) };
    case 'not_found':
      return { do: 'answer', ending: json(404, notFoundBody()) };
    case 'in_progress':
      return { do: 'answer', ending: json(409, inProgressBody(false, request_sha256)) };
    case 'other_request':
      return { do: 'answer', ending: json(409, inProgressBody(false, sha256(request_sha256))) };
    case 'malformed':
      return { do: 'answer', ending: json(200, malformedBody()) };
    case 'status':
      return { do: 'answer', ending: failure(step.status, `Scripted status ${step.status}.`) };
    case 'hold':
      return { do: 'wait', until: 'released', abandon: () => nothing, answer: () => truth(effects, question) };
  }
}

function truth(effects: Effects, { kind, key }: Asked, keepsAnswers = true): Ending {
  const isFence = kind === 'fence';
  const told = effects.tell(key);
  switch (told.kind) {
    case 'in_progress':
      return json(409, inProgressBody(isFence, told.body_sha256));
    case 'found':
      return json(200, foundBody(isFence, told.body_sha256, keepsAnswers ? told.answer : null));
    case 'absent':
      return isFence ? json(200, fencedBody()) : json(404, notFoundBody());
  }
}
