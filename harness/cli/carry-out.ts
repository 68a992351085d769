/**
 * Carries out one operation for a person: the role does it, and the record is looked at afterwards, whatever came of it.
 *
 * Guarantee: what is said at the end is what the record says, not what was hoped for. A role that was interrupted or that broke may have
 * sent its request; then the work state knows more than this process, and its next command is told.
 */
import type { Answer, WorkState } from '../contract/types.js';
import { HarnessError } from '../errors.js';
import type { Installation } from '../io/installation.js';
import { carriedOutDocument, carriedOutText, type CarriedOut } from '../report/carried-out.js';
import { nextLines, waysOn } from '../report/way-on.js';
import { type Acting, actingOn, brokenOff, type CarryOutRequest, type Look, lookAt, roleRequest, type Said } from './acting.js';
import { carryOutOnSession } from './carry-out-session.js';
import { runRole } from './role.js';
import { isSession, projectionsOf } from './state-folder.js';

/** What may leave an effect unknown, or asks about one. Elsewhere one that was unknown before is no news. */
const concernsEffect = new Set(['start_call', 'start_next_attempt', 'fix_inputs', 'reconcile_effect', 'recover']);

const unseen: Look<never> = { found: null, why: null, owned: false };

export function carryOut(request: CarryOutRequest, installation: Installation): Promise<Said> {
  const acting = actingOn(request, installation);
  return isSession(acting.state) ? carryOutOnSession(acting) : carryOutOnCalls(acting);
}

async function carryOutOnCalls(acting: Acting): Promise<Said> {
  const { options, place, state, operation, id } = acting;
  const { answer, ...end } = await runRole(roleRequest(acting));
  const looked = options.dryRun && answer?.status === 'completed' ? unseen : await lookAt(() => projectionsOf(state));
  demandSomethingDone(answer, looked, acting);
  const next = looked.found && waysOn(looked.found, place);
  const unknown = looked.found && isEffectUnknown(looked.found, id ?? null);
  if (answer === null) {
    const wayOn = next === null ? [] : nextLines(next, place);
    throw brokenOff(acting, end, { unknown, wayOn, canSend: concernsEffect.has(operation) });
  }
  const concerned = answer.status === 'failed' || concernsEffect.has(operation);
  const done = { answer, next, hint: hintFor(answer, looked.why, acting), effectUnknown: concerned && unknown === true };
  const text = options.json ? `${JSON.stringify(carriedOutDocument(done))}\n` : carriedOutText(done, place);
  const aside = answer.status === 'refused' && !options.json;
  return { stdout: aside ? '' : text, stderr: aside ? text : '', code: exitCode(done) };
}

/** A recovery that finds nothing left takes no lease; where another process owns the record, that is not yet so, and was refused like the rest. */
function demandSomethingDone(answer: Answer | null, { owned, why }: Look<unknown>, { operation }: Acting): void {
  const idle = operation === 'recover' && answer?.status === 'completed' && (answer.operations ?? []).length === 0;
  if (idle && owned) throw new HarnessError('owner-alive', `Nothing was done: ${why ?? ''}`);
}

/** Why the record cannot be told; else, where what was right to ask for could not be done as it was asked, how else it may be asked. */
function hintFor({ refusal, would }: Answer, why: string | null, { operation, input, options }: Acting): string | null {
  if (refusal?.error === 'OwnerAlive') return null;
  if (why !== null) return why;
  if (operation === 'recover' && (would?.appends.length ?? 0) > 0)
    return 'That is its first step; what follows depends on what comes of it.';
  if (refusal?.error !== 'RecoveryRefused' || refusal.hazard !== null) return null;
  const { scenario, provider, dryRun } = options;
  if (refusal.drift.length > 0) return 'Without --scenario the recorded request is sent as it is.';
  const canBeAsked = scenario === undefined || provider !== undefined || dryRun;
  if (refusal.operation === 'reconcile_effect' && input === null && canBeAsked)
    return 'Ask the provider by --lookup or --fence, whichever it offers; or state what you know by reconcile --finding.';
  if (!concernsEffect.has(operation)) return null;
  const missing = [
    ...(provider === undefined && !dryRun ? ['The provider is named by --provider.'] : []),
    ...(scenario === undefined ? ['The settings of today are given by --scenario.'] : []),
  ];
  return missing.length === 0 ? null : missing.join(' ');
}

function exitCode({ answer: { status }, effectUnknown }: Pick<CarriedOut, 'answer' | 'effectUnknown'>): number {
  if (status === 'refused') return 64;
  if (effectUnknown) return 2;
  return status === 'failed' ? 1 : 0;
}

/** Of the task that the id belongs to, or of any. Where a person decided to pay again, nobody waits to know. */
function isEffectUnknown(projections: readonly WorkState[], id: string | null): boolean {
  const concerned = projections.filter(
    ({ task_id, calls, compilations }) =>
      [null, task_id].includes(id) ||
      calls.some(({ call_id }) => call_id === id) ||
      compilations.some(({ compilation_id }) => compilation_id === id),
  );
  return concerned
    .flatMap(({ calls }) => calls)
    .some(({ provider_effect, stage }) => provider_effect === 'unknown' && !['superseded', 'duplicate_accepted'].includes(stage));
}
