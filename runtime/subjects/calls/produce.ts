/**
 * The producer: does what the scenario asks, from the creation of the task to its acceptance.
 *
 * On a folder that already holds the task it goes on from what is recorded: nothing is recorded twice, and a completed call is
 * answered from the ledger. Parking and killing happen around it; it knows nothing of the harness but the armed place.
 */
import { once } from 'node:events';
import * as net from 'node:net';
import type { Runtime } from '../../calls/runtime.js';
import { inventoryItem } from '../../core/compile.js';
import { canonical } from '../../core/canonical.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { openFor, parkingPlaces } from './open.js';
import { reportOfCall } from './report.js';
import type { Scenario } from './scenario.js';

async function produce(context: RoleContext): Promise<Report> {
  const { runtime, scenario } = openFor(context, true);
  try {
    recordTask(runtime, scenario);
    const compilationId = compiled(runtime, scenario);
    if (scenario.dial !== null) return await dialElsewhere(scenario.dial);
    if (scenario.call === null) return { status: 'completed', detail: 'No call was asked for.' };
    const { idempotency_key: idempotencyKey, instruction } = scenario.call;
    const outcome = await runtime.call({ taskId: scenario.task.task_id, compilationId, idempotencyKey, instruction });
    if (outcome.outcome === 'succeeded') judge(runtime, scenario);
    return reportOfCall(outcome);
  } finally {
    runtime.close();
  }
}

function recordTask(runtime: Runtime, scenario: Scenario): void {
  const { task_id: taskId, title, objective, claim } = scenario.task;
  const recorded = new Set(
    runtime
      .events()
      .filter((event) => event.task_id === taskId)
      .map((event) => event.type),
  );
  if (!recorded.has('task.created')) runtime.createTask({ taskId, title });
  if (!recorded.has('objective.recorded')) runtime.recordObjective(taskId, { objectiveId: 'objective-1', statement: objective });
  const { claim_id: claimId, statement, basis } = claim;
  if (!recorded.has('claim.recorded')) runtime.recordClaim(taskId, { claimId, statement, basis });
}

/** The compilation of exactly this inventory, found in the record or made now. */
function compiled(runtime: Runtime, scenario: Scenario): string {
  const { items, required_ids: requiredIds } = scenario.context;
  const offered = canonical(items.map(inventoryItem));
  const same = runtime
    .workState(scenario.task.task_id)
    .compilations.findLast(
      ({ stage, ...made }) =>
        stage === 'compiled' && canonical(made.offered) === offered && canonical(made.required_ids) === canonical(requiredIds),
    );
  return same?.compilation_id ?? runtime.compile(scenario.task.task_id, { items, requiredIds }).compilationId;
}

function judge(runtime: Runtime, scenario: Scenario): void {
  const taskId = scenario.task.task_id;
  if (scenario.accept === null || runtime.workState(taskId).task.stage !== 'open') return;
  const judgement = { by: 'producer', note: 'as the scenario says' };
  if (scenario.accept === 'accepted') runtime.accept(taskId, judgement);
  else runtime.reject(taskId, judgement);
}

/** Planted by a plan: reaches for something that is not the provider, and ends there either way. */
async function dialElsewhere({ host, port }: { host: string; port: number }): Promise<Report> {
  const socket = net.connect({ host, port });
  try {
    await once(socket, 'connect');
    return { status: 'failed', detail: `The connection to ${host}:${port} was not refused by the guard.` };
  } catch (error) {
    return { status: 'failed', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    socket.destroy();
  }
}

await runRole('produce', parkingPlaces, produce);
