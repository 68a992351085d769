/**
 * The naive restart: what restart loops usually do. It takes the last recorded request and issues it again, and never asks the
 * work state whether the effect may already have happened. It is here to show the duplicate that resume prevents.
 */
import type { Runtime } from '../../calls/api/runtime.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { openFor } from './open.js';
import { reportOfCall } from './report.js';
import type { Scenario } from './scenario.js';
import { calls } from './subject.js';

async function restart(context: RoleContext): Promise<Report> {
  const { runtime, scenario } = openFor(context, false);
  try {
    const wanted = lastRequest(runtime) ?? firstRequest(runtime, scenario);
    if (wanted === null) return { status: 'completed', detail: 'No call was asked for.' };
    return reportOfCall(await runtime.call(wanted));
  } finally {
    runtime.close();
  }
}

function lastRequest(runtime: Runtime) {
  const last = runtime.events().findLast((event) => event.type === 'call.requested');
  if (last?.type !== 'call.requested') return null;
  const { idempotency_key: idempotencyKey, instruction } = last.payload;
  return { taskId: last.task_id, compilationId: last.compilation_id ?? '', idempotencyKey, instruction };
}

/** No call was recorded: compiles again what was offered, and calls as the scenario says. */
function firstRequest(runtime: Runtime, scenario: Scenario) {
  const offered = runtime.events().findLast((event) => event.type === 'context.compilation_requested');
  const taskId = offered?.task_id ?? scenario.task.task_id;
  const { compilationId } = runtime.compile(taskId, offeredAgain(runtime, scenario, offered));
  if (scenario.call === null) return null;
  const { idempotency_key: idempotencyKey, instruction } = scenario.call;
  return { taskId, compilationId, idempotencyKey, instruction };
}

function offeredAgain(runtime: Runtime, scenario: Scenario, recorded: ReturnType<Runtime['events']>[number] | undefined) {
  if (recorded?.type !== 'context.compilation_requested')
    return { items: scenario.context.items, requiredIds: scenario.context.required_ids };
  const items = recorded.payload.offered.map(({ id, kind, required, content_sha256, lineage, size }) => {
    const content = runtime.artifact(content_sha256)?.toString('utf8') ?? '';
    return { id, kind, required, content, lineage, ...(size.basis === 'measured' && !size.tokenizer && { tokens: size.tokens }) };
  });
  return { items, requiredIds: recorded.payload.required_ids };
}

await runRole('restart', calls, restart);
