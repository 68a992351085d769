/**
 * A producer that makes many calls in one ledger, for the size of a bundle rather than for a kill.
 *
 * It is the producer of the calls subject with a loop; how many calls is said by the title of the task ("Make 100 calls"), any
 * other title means one. Usage, as a role: node many-calls.mjs <runtime folder of a build>
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [runtimeFolder] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(runtimeFolder, 'subjects', path)).href);
const { runRole } = await load('kit/role.js');
const { openFor } = await load('calls/open.js');
const { reportOfCall } = await load('calls/report.js');
const { calls } = await load('calls/subject.js');

await runRole('produce', calls, async (context) => {
  const { runtime, scenario } = openFor(context, true);
  try {
    const { task_id: taskId, title, objective, claim } = scenario.task;
    runtime.createTask({ taskId, title });
    runtime.recordObjective(taskId, { objectiveId: 'objective-1', statement: objective });
    runtime.recordClaim(taskId, { claimId: claim.claim_id, statement: claim.statement, basis: claim.basis });
    const { items, required_ids: requiredIds } = scenario.context;
    const { compilationId } = runtime.compile(taskId, { items, requiredIds });
    const { idempotency_key: key, instruction } = scenario.call;
    const count = Number(/^Make (\d+) calls$/.exec(title)?.[1] ?? 1);
    let outcome = await runtime.call({ taskId, compilationId, idempotencyKey: key, instruction });
    for (let index = 2; index <= count; index++) {
      outcome = await runtime.call({
        taskId,
        compilationId,
        idempotencyKey: `${key}-${index}`,
        instruction: `${instruction} (${index})`,
      });
    }
    return reportOfCall(outcome);
  } finally {
    runtime.close();
  }
});
