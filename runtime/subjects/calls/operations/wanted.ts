/**
 * What `resume` is asked to carry out: the operation and what a person states or gives with it, checked before anything is opened.
 *
 * The shapes of `KILLPOINT_INPUT` are in the README of this subject. Every mistake of an input is told at once, with its JSON pointer.
 */
import type { CarriedOut, Finding } from '../../../calls/core/vocabulary.js';
import { UsageError, type Environment } from '../../kit/environment.js';
import { id, offeredContext, type OfferedContext } from '../scenario.js';
import { anyText, between, choice, nullable, object, optional, text, type Check } from '../../kit/shape.js';

/** How the provider is asked about a key. */
export type Ask = 'lookup' | 'fence';

export interface StatedEffect {
  by: string;
  finding: Finding;
  note: string;
  response?: { status: number; content_type: string | null; body: string };
}

/** What is left out stays as it is recorded. */
export interface GivenCall {
  instruction?: string;
  compilation_id?: string;
}

/** By operation; null where none was given. */
interface Inputs {
  recover: { ask: Ask } | null;
  start_call: null;
  recompile: null;
  fix_inputs: OfferedContext | GivenCall;
  reconcile_effect: StatedEffect | { ask: Ask } | null;
  reinterpret: { interpreter_version: number } | null;
  redecide: null;
  start_next_attempt: null;
  finalize: null;
  check_and_accept: { by: string; note: string; judgement: 'accepted' | 'rejected' };
  accept_duplicate: { by: string; note: string };
}

type Name = CarriedOut | 'recover';
export type Wanted = { [N in Name]: { operation: N; input: Inputs[N] } }[Name];
/** One operation, once. */
export type One = Exclude<Wanted, { operation: 'recover' }>;

const ask = object({ ask: choice('lookup', 'fence') });
const statement = object({
  by: text,
  finding: choice('served', 'not_served', 'unknown'),
  note: anyText,
  response: optional(object({ status: between(100, 999), content_type: nullable(text), body: anyText })),
});

/** `items` and `ask` each tell one shape from the other. */
const has = (name: string, value: unknown): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, name);
const shapes: Record<Name, { shape: Check | null; needed: boolean }> = {
  recover: { shape: ask, needed: false },
  start_call: { shape: null, needed: false },
  recompile: { shape: null, needed: false },
  fix_inputs: {
    shape: (value, at) =>
      (has('items', value) ? offeredContext : object({ instruction: optional(text), compilation_id: optional(id) }))(value, at),
    needed: true,
  },
  reconcile_effect: { shape: (value, at) => (has('ask', value) ? ask : statement)(value, at), needed: false },
  reinterpret: { shape: object({ interpreter_version: between(1, Number.MAX_SAFE_INTEGER) }), needed: false },
  redecide: { shape: null, needed: false },
  start_next_attempt: { shape: null, needed: false },
  finalize: { shape: null, needed: false },
  check_and_accept: { shape: object({ by: text, note: anyText, judgement: choice('accepted', 'rejected') }), needed: true },
  accept_duplicate: { shape: object({ by: text, note: anyText }), needed: true },
};

/** Null where no operation is named: then a call that was never sent is resumed, and nothing else. */
export function wantedOf({ operation, input }: Pick<Environment, 'operation' | 'input'>): Wanted | null {
  if (operation === null) return null;
  if (!Object.hasOwn(shapes, operation))
    throw new UsageError(`KILLPOINT_OPERATION is ${JSON.stringify(operation)}, none of ${Object.keys(shapes).join(', ')}.`);
  const { shape, needed } = shapes[operation as Name];
  if (input !== null && shape === null) throw new UsageError(`KILLPOINT_INPUT is given, and ${operation} takes none.`);
  if (input === null && needed)
    throw new UsageError(`KILLPOINT_INPUT is not set; ${operation} needs what a person states in it.`);
  const problems = input === null || shape === null ? [] : shape(input, '');
  if (problems.length > 0) throw new UsageError(`The input of ${operation} is not valid: ${problems.join('; ')}.`);
  return { operation, input } as Wanted;
}

/** How this process is to ask the provider, where the input says so; the scenario says it otherwise. */
export function askOf({ input }: Wanted): Ask | null {
  return input !== null && 'ask' in input ? input.ask : null;
}
