/**
 * Asks the verifier, which is a program of its own, and believes it only where its words and its exit code agree.
 *
 * A verifier that crashed, said nothing or contradicted itself is never read as a pass: that is an internal error (70).
 */
import { execa } from 'execa';
import { randomBytes } from 'node:crypto';
import type { Verdict } from './contract/types.js';
import { validateVerdict } from './contract/validators.js';
import { codeOf, HarnessError } from './errors.js';
import { parseCanonical } from './io/canonical.js';
import { writeAtomic } from './io/durable.js';
import type { Installation } from './io/installation.js';
import { processFacts } from './process/proc.js';
import { startWatchdog } from './process/watchdog-client.js';
import { plainReason } from './seal/bag.js';

const exitCodes: Record<Verdict['verdict'], number> = { valid: 0, invalid: 1, unknown: 2 };

export interface Judged {
  readonly verdict: Verdict;
  readonly exitCode: number;
  /** Where the verdict document was put: beside the bundle. */
  readonly path: string;
  /** The signed statements, where a key was given: beside the bundle too. */
  readonly signed: readonly string[];
}

/** With a private key (its file) the verifier also signs what it says; the key is never read here. */
export async function askForVerdict(
  bundle: string,
  installation: Installation,
  interruption?: AbortSignal,
  sign?: string,
): Promise<Judged> {
  const args = ['verify', bundle, '--json', ...(sign === undefined ? [] : [`--sign=${sign}`])];
  const run = await askVerifier(bundle, args, installation, interruption);
  const verdict = verdictIn(run.stdout);
  if (verdict === null || run.exitCode !== exitCodes[verdict.verdict]) {
    const words = run.stderr.trim().split('\n').at(-1) ?? '';
    const how = run.exitCode === undefined ? `ended by ${run.signal ?? 'an unknown cause'}` : `exit ${run.exitCode}`;
    throw new HarnessError(
      'verifier-failed',
      `The bundle ${bundle} is sealed, but the verifier gave no verdict (${how})${words === '' ? '.' : `: ${words}`}`,
    );
  }
  const path = `${bundle}.verdict.json`;
  try {
    writeAtomic(path, run.stdout);
  } catch (error) {
    if (codeOf(error) === null) throw error;
    throw new HarnessError(
      'record-failed',
      `The bundle ${bundle} is sealed and judged ${verdict.verdict}, but the verdict could not be written beside it (${plainReason(error)}); killpoint verify says it again.`,
      { cause: error },
    );
  }
  const signed = sign === undefined ? [] : ['.sigstore.json', '.matrix.sigstore.json'].map((ending) => `${bundle}${ending}`);
  return { verdict, exitCode: exitCodes[verdict.verdict], path, signed };
}

/** Before anything runs: a key that the verifier would refuse in the end is refused now, in its words. */
export async function demandSigningKey(sign: string, { verifier }: Installation): Promise<void> {
  const asked = await execa(process.execPath, [verifier, 'key', '--', sign], { reject: false, stdin: 'ignore' });
  if (asked.exitCode === 0) return;
  if (asked.exitCode === 64) throw new HarnessError('usage', asked.stderr.trim());
  throw new HarnessError('verifier-failed', `The verifier could not look at the key (exit ${asked.exitCode ?? 'unknown'}).`);
}

/** Under a watchdog of its own, so that neither an interrupted nor a killed harness leaves a verifier at work. */
async function askVerifier(
  bundle: string,
  args: readonly string[],
  installation: Installation,
  interruption: AbortSignal | undefined,
) {
  const watchdog = startWatchdog(installation.watchdog);
  const nonce = randomBytes(16).toString('hex');
  watchdog.expect(nonce, null);
  const running = execa(process.execPath, [installation.verifier, ...args], {
    reject: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    maxBuffer: 512 * 1024 * 1024,
    detached: true,
    env: { KILLPOINT_NONCE: nonce },
  });
  if (running.pid !== undefined) watchdog.started(nonce, running.pid, processFacts(running.pid)?.startTicks ?? '');
  const stop = (): void => void watchdog.end();
  interruption?.addEventListener('abort', stop, { once: true });
  if (interruption?.aborted) stop();
  const run = await running;
  interruption?.removeEventListener('abort', stop);
  watchdog.gone(nonce);
  await watchdog.end();
  if (interruption?.aborted) {
    throw new HarnessError(
      'interrupted',
      `The bundle ${bundle} is sealed, but its verification was interrupted; killpoint verify judges it.`,
    );
  }
  return run;
}

function verdictIn(text: string): Verdict | null {
  try {
    const value = parseCanonical(text);
    return validateVerdict(value) ? value : null;
  } catch {
    return null;
  }
}
