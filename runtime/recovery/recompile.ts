/** Recompile: end a compilation that was asked for and never ended, from its record alone. It has no effect outside. */
import type { Committer } from '../calls/committer.js';
import { compilationEnd, demandCompiled, type CompiledContext } from '../calls/context.js';
import { recoveredBy } from '../calls/stamp.js';
import type { WorkState } from '../contract/types.js';
import { compiler } from '../core/compile.js';
import { cannot, demandCompilationFor } from './demand.js';
import type { OperationOptions } from './options.js';
import { act, appending, type Plan } from './plan.js';

export function recompile(committer: Committer, compilationId: string, options: OperationOptions): CompiledContext {
  return act(committer, options, (seen) => planRecompile(committer, compilationId, seen));
}

export function planRecompile(committer: Committer, compilationId: string, seen: WorkState | undefined): Plan<CompiledContext> {
  const { taskId, request } = demandCompilationFor(committer, compilationId, 'recompile', seen);
  const { name, version } = request.compiler;
  if (name !== compiler.name || version !== compiler.version)
    throw cannot(
      compilationId,
      'recompile',
      `cannot be compiled by this program: it was asked of ${name} version ${version}. Go on with the program that recorded it.`,
    );
  const { offered: inventory, required_ids: requiredIds, budget_tokens: budgetTokens } = request;
  const place = { task_id: taskId, compilation_id: compilationId };
  const { drafts, ended } = compilationEnd(place, { inventory, requiredIds, budgetTokens }, recoveredBy('recompile'));
  return appending(committer, drafts, () => demandCompiled(ended));
}
