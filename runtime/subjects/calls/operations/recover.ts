/**
 * `recover`: whatever the record names, one operation after the other, until a person is needed or nothing is left.
 *
 * The loop is the runtime's. Here it is listened to: after each reading the process can be parked, also after the last one, and what was carried
 * out is remembered, so that it is in the answer also where a later step ends in a failure.
 */
import type { CarriedOut } from '../../../calls/core/vocabulary.js';
import type { Report } from '../../kit/role.js';
import { reportOfCall } from '../report.js';
import type { Acting } from './acting.js';
import { demandProvider, NoProvider } from './no-provider.js';
import { reportOfOperation } from './refusal.js';

export async function recover(acting: Acting): Promise<Report> {
  const { context, runtime, named, settings } = acting;
  const begun: CarriedOut[] = [];
  try {
    const { operations, next, on, outcome } = await runtime.recover(named.workState.task_id, {
      settings,
      onRead: () => context.parking.passed(['projection.read']),
      onStep: (operation, id) => {
        demandProvider(acting, operation, id, () => runtime.dryRun(operation, id, { settings }));
        begun.push(operation);
      },
    });
    const did = operations.length === 0 ? 'There was nothing to carry out.' : `Carried out: ${operations.join(', ')}.`;
    const told = `${did} Next: ${on === null ? next : `${next} on ${on}`}.`;
    if (outcome === null) return { status: 'completed', detail: told, operations };
    const report = reportOfCall(outcome);
    return { ...report, detail: `${report.detail} ${told}`, operations };
  } catch (error) {
    return interrupted(error, begun);
  }
}

/** A step that failed was carried out; one that was refused did nothing, and one that needs a provider was never begun. */
function interrupted(error: unknown, begun: CarriedOut[]): Report {
  const report = reportOfOperation(error);
  if (report.status === 'failed') return { ...report, operations: begun };
  if (!(error instanceof NoProvider)) return { ...report, operations: begun.slice(0, -1) };
  if (begun.length === 0) return { ...report, operations: [] };
  return { status: 'completed', detail: `Carried out: ${begun.join(', ')}. ${report.detail}`, operations: begun };
}
