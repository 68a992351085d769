/**
 * What belongs to the model of a subject: what its role `resume` can be told, and that a plan names this model. Pure.
 */
import type { Subject } from '../contract/types.js';
import { listed, type LoosePlan, type Mistake } from './loose.js';
import type { Operation } from './types.js';

type Model = Subject['model'];

const ofCalls: readonly Operation[] = [
  'recover',
  'start_call',
  'recompile',
  'fix_inputs',
  'reconcile_effect',
  'reinterpret',
  'redecide',
  'start_next_attempt',
  'finalize',
  'check_and_accept',
  'accept_duplicate',
];

/** Of a subject that only its receipts are judged of, nobody knows more than that its operations have these names. */
const operations: Record<Model, readonly Operation[]> = {
  'calls/v1': ofCalls,
  'sessions/v1': ['recover', 'send', 'approve', 'cancel'],
  'receipts-only': ofCalls,
};

/** A plan that says nothing is about calls, as all plans once were. */
export function* modelMistakes({ model }: LoosePlan, subject: Subject | undefined): Generator<Mistake> {
  if (subject === undefined) return;
  const pointer = '/model';
  if (subject.model === 'receipts-only') {
    if (model !== undefined)
      yield { pointer, sentence: `names "${model}", but of ${subject.name} only the receipts are judged: leave it out` };
  } else if ((model ?? 'calls/v1') !== subject.model) {
    const said = model === undefined ? 'is absent, which means "calls/v1"' : `names "${model}"`;
    yield { pointer, sentence: `${said}, but ${subject.name} is a subject of "${subject.model}"` };
  }
}

export function* toldMistakes(
  operation: Operation | undefined,
  pointer: string,
  subject: Subject | undefined,
): Generator<Mistake> {
  if (operation === undefined || subject === undefined) return;
  const known = operations[subject.model];
  // A name that no model knows is a mistake of shape.
  if (known.includes(operation) || !Object.values(operations).some((names) => names.includes(operation))) return;
  yield { pointer, sentence: `is "${operation}", which is none of ${subject.model} (it has: ${listed(known)})` };
}
