/**
 * System-call tracing: is strace there, can it kill a child before a call, and have one fail? Tried for real, since a tracer that may not trace, or kills
 * nobody, would leave every ratchet without a kill. Without it those cases are void.
 */
import { execa } from 'execa';
import { tracerName } from '../process/end.js';
import type { Check } from './check.js';

/** The crash models that a plan names and that need a tracer. */
export const tracedModels = 'syscall-kill, io-fault and power-loss';
/** What installs the tracer, on Debian and what is made from it. */
export const installsTracer = 'apt-get install strace';

const untraced = `${tracedModels} cannot be run, and cases with them are void`;

export async function probeTracing(tracer = tracerName): Promise<Check[]> {
  const version = await execa(tracer, ['-V'], { reject: false, stdin: 'ignore' });
  if (version.failed) {
    const detail = `strace is not installed (${installsTracer}): ${untraced}`;
    return [
      { name: 'strace', available: false, weight: 'used', detail },
      { name: 'ptrace', available: false, weight: 'used', detail: 'not tried without strace' },
    ];
  }
  const killsAtExit = ['-D', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=exit_group', '-e', 'inject=exit_group:signal=SIGKILL'];
  const failsAtSync = ['-D', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO'];
  const syncs = ['-e', 'try { fs.fsyncSync(fs.openSync(".")) } catch ({ code }) { process.exitCode = code === "EIO" ? 5 : 6 }'];
  const [killed, failed] = await Promise.all([
    execa(tracer, [...killsAtExit, process.execPath, '--version'], { reject: false, stdin: 'ignore' }),
    execa(tracer, [...failsAtSync, process.execPath, ...syncs], { reject: false, stdin: 'ignore' }),
  ]);
  const works = killed.signal === 'SIGKILL' && failed.exitCode === 5;
  return [
    { name: 'strace', available: true, weight: 'used', detail: version.stdout.split('\n')[0] ?? tracer },
    {
      name: 'ptrace',
      available: works,
      weight: 'used',
      detail: works
        ? 'a child can be traced, killed before a system call, and have one fail'
        : `a child may not be traced, or nothing is done to it: ${untraced}`,
    },
  ];
}
