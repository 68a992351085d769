/**
 * The producer: does what the scenario asks, from the creation of the task to its acceptance.
 *
 * On a folder that already holds the task it goes on from what is recorded: nothing is recorded twice, and a completed call is
 * answered from the ledger. Parking and killing happen around it; it knows nothing of the harness but the armed place.
 */
import { once } from 'node:events';
import * as net from 'node:net';
import type { Runtime } from '../../calls/api/runtime.js';
import { inventoryItem } from '../../calls/core/compile.js';
import { canonical } from '../../core/canonical.js';
import type { WorkState } from '../../contract/types.js';
import type { ContextItem } from '../../calls/core/vocabulary.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { openFor } from './open.js';
import { reportOfCall } from './report.js';
import type { OfferedContext, Scenario } from './scenario.js';
import { calls } from './subject.js';

async function produce(context: RoleContext): Promise<Report> {
  const { runtime, scenario } = openFor(context, true);
  try {
    recordTask(runtime, scenario);
    const compilationId = scenario.context.fan_out === undefined ? compiled(runtime, scenario) : fannedOut(runtime, scenario);
    if (scenario.dial !== null) return await dialElsewhere(scenario.dial);
    if (scenario.call === null) return { status: 'completed', detail: 'No call was asked for.' };
    if (compilationId === null) return { status: 'failed', detail: 'No compilation of the fan-out succeeded.' };
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
  const offered = inventoryOf(scenario.context);
  const same = runtime
    .workState(scenario.task.task_id)
    .compilations.findLast((made) => made.stage === 'compiled' && !made.fan_out && recordedInventory(made) === offered);
  return same?.compilation_id ?? runtime.compile(scenario.task.task_id, { items, requiredIds }).compilationId;
}

/** The first compilation that succeeded, of exactly this fan-out, found in the record or made now; null where none did. */
function fannedOut(runtime: Runtime, scenario: Scenario): string | null {
  const contexts = scenario.context.fan_out ?? [];
  const offered = contexts.map(inventoryOf);
  const members = runtime.workState(scenario.task.task_id).compilations.filter(({ fan_out }) => fan_out?.of === offered.length);
  const same = members.find(
    (made) => made.stage === 'compiled' && made.fan_out && recordedInventory(made) === offered[made.fan_out.index - 1],
  );
  if (same !== undefined) return same.compilation_id;
  const wanted = contexts.map(({ items, required_ids: requiredIds }) => ({ items, requiredIds }));
  const { compilations } = runtime.compileFanOut(scenario.task.task_id, wanted);
  return compilations.find(({ compiled: ready }) => ready !== null)?.compilationId ?? null;
}

function inventoryOf({ items, required_ids }: OfferedContext): string {
  // How large an item is depends on who counts; what it is does not.
  return canonical({ offered: items.map((item) => withoutSize(inventoryItem(item, null))), required_ids });
}

function recordedInventory({ offered, required_ids }: WorkState['compilations'][number]): string {
  return canonical({ offered: offered.map(withoutSize), required_ids });
}

function withoutSize({ size: _size, ...item }: ContextItem): Omit<ContextItem, 'size'> {
  return item;
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

await runRole('produce', calls, produce);
