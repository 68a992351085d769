/** One operation of a walk: what a dry run is asked for, and the same carried out. */
import type { Runtime } from '../api/runtime.js';
import type { CarriedOut } from '../core/vocabulary.js';
import type { DryRunOptions } from '../recovery/options.js';

export const operator = { by: 'operator', note: 'The customer waits.' };

/** One operation with everything that a person would give to it, as a dry run takes it. */
export interface Step {
  operation: CarriedOut;
  on: string;
  given: DryRunOptions;
}

export function carryOut(runtime: Runtime, { operation, on, given }: Step): unknown {
  const { inputs = {}, statement, interpreterVersion } = given;
  switch (operation) {
    case 'start_call':
      return runtime.resumeCall(on);
    case 'recompile':
      return runtime.recompile(on);
    case 'fix_inputs':
      return 'items' in inputs ? runtime.fixCompilation(on, inputs) : runtime.fixCall(on, inputs);
    case 'reconcile_effect':
      return runtime.reconcile(on, statement && { statement });
    case 'accept_duplicate':
      return runtime.acceptDuplicate(on, operator);
    case 'reinterpret':
      return runtime.reinterpret(on, interpreterVersion === undefined ? {} : { interpreterVersion });
    case 'redecide':
      return runtime.redecide(on);
    case 'start_next_attempt':
      return runtime.startNextAttempt(on);
    case 'finalize':
      return runtime.finalize(on);
    case 'check_and_accept':
      return runtime.accept(on, { by: 'reviewer' }, {});
  }
}
