/** What the checks of this machine come to: whether plans run here, which do not, and what to do about that. Pure. */
import type { Check } from './check.js';
import { installsTracer, tracedModels } from './tracing.js';

export function isReady(checks: readonly Check[]): boolean {
  return checks.every(({ available, weight }) => available || weight !== 'needed');
}

export function readiness(checks: readonly Check[]): string {
  if (!isReady(checks)) return 'This machine cannot run plans: something that is needed is missing.';
  const lacks = (wanted: string): boolean => checks.some(({ name, available }) => name === wanted && !available);
  if (!lacks('strace') && !lacks('ptrace')) return 'This machine can run plans.';
  const next = lacks('strace') ? installsTracer : 'allow ptrace here (in a container: --cap-add=SYS_PTRACE)';
  return `This machine can run plans, but ${tracedModels} cannot be run: cases with them would be void. Next: ${next}`;
}
