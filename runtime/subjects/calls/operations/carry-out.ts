/**
 * One operation, once: from what was asked to one method of the runtime, and from what came of it to a sentence.
 *
 * Nothing is decided here. Whether the record allows the operation is the runtime's to say, which also compares the projection with the log.
 */
import type { Runtime } from '../../../calls/api/runtime.js';
import type { OperationOptions } from '../../../calls/recovery/options.js';
import { UsageError } from '../../kit/environment.js';
import type { Report } from '../../kit/role.js';
import { reportOfCall } from '../report.js';
import type { Named } from './named.js';
import { concerned, contextOf, fixedCallOf, given } from './translate.js';
import type { One } from './wanted.js';

export async function carryOut(runtime: Runtime, wanted: One, named: Named, options: OperationOptions): Promise<Report> {
  const id = concerned(wanted, named);
  switch (wanted.operation) {
    case 'start_call':
      return reportOfCall(await runtime.resumeCall(id, { ...options, operation: 'start_call' }));
    case 'recompile':
      return compiled(runtime.recompile(id, options));
    case 'fix_inputs':
      if ('items' in wanted.input) return compiled(runtime.fixCompilation(id, contextOf(wanted.input), options));
      return reportOfCall(await runtime.fixCall(id, fixedCallOf(wanted.input), options));
    case 'reconcile_effect': {
      const { finding, reason } = await runtime.reconcile(id, { ...options, ...given(wanted) });
      return done(`The effect of ${id}: ${finding} (${reason}).`);
    }
    case 'reinterpret': {
      const { result, detail } = runtime.reinterpret(id, { ...options, ...given(wanted) });
      return done(`The response of ${id} was read as ${result}${detail === null ? '' : ` (${detail})`}.`);
    }
    case 'redecide': {
      const { decision, reason } = runtime.redecide(id, options);
      return done(`What follows for ${id}: ${decision} (${reason}).`);
    }
    case 'start_next_attempt': {
      const outcome = await runtime.startNextAttempt(id, options);
      return 'stopped' in outcome ? done(`${id} gets no other attempt (${outcome.stopped}).`) : reportOfCall(outcome);
    }
    case 'finalize':
      return reportOfCall(runtime.finalize(id, options));
    case 'accept_duplicate': {
      const { seq } = runtime.acceptDuplicate(id, wanted.input, options);
      return done(`It is on record (event ${seq}) that ${id} may be paid for once more; one attempt can spend that.`);
    }
    case 'check_and_accept': {
      const { judgement, by, note } = wanted.input;
      const judge = { by, note, ...resultNamed(named) };
      if (judgement === 'accepted') runtime.accept(id, judge, options);
      else runtime.reject(id, judge, options);
      return done(`The task ${id} is ${judgement}.`);
    }
  }
}

/** The result of the call that a person named; without one the runtime takes the last. */
function resultNamed({ workState, on, explicit }: Named): { resultId?: string } {
  if (!explicit || workState.task.next_operation !== 'check_and_accept') return {};
  const resultId = workState.calls.find(({ call_id }) => call_id === on)?.result_id ?? null;
  if (resultId === null) throw new UsageError(`${on} has no result to judge. Name a call that succeeded, or none.`);
  return { resultId };
}

function compiled({ compilationId }: { compilationId: string }): Report {
  return done(`${compilationId} is compiled.`);
}

function done(detail: string): Report {
  return { status: 'completed', detail };
}
