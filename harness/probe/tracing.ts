/**
 * System-call tracing: is strace there, and can it kill a child before a call? Tried for real, since a tracer that may not trace, or kills
 * nobody, would leave every ratchet without a kill. Without it those cases are void.
 */
import { execa } from 'execa';
import { tracerName } from '../process/end.js';
import type { Check } from './check.js';

export async function probeTracing(): Promise<Check[]> {
  const version = await execa(tracerName, ['-V'], { reject: false, stdin: 'ignore' });
  if (version.failed) {
    const detail = 'strace is not installed; cases that kill before a system call are void';
    return [
      { name: 'strace', available: false, weight: 'used', detail },
      { name: 'ptrace', available: false, weight: 'used', detail: 'not tried without strace' },
    ];
  }
  const killsAtExit = ['-D', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=exit_group', '-e', 'inject=exit_group:signal=SIGKILL'];
  const trial = await execa(tracerName, [...killsAtExit, process.execPath, '--version'], { reject: false, stdin: 'ignore' });
  const works = trial.signal === 'SIGKILL';
  return [
    { name: 'strace', available: true, weight: 'used', detail: version.stdout.split('\n')[0] ?? tracerName },
    {
      name: 'ptrace',
      available: works,
      weight: 'used',
      detail: works
        ? 'a child can be traced, and killed before a system call'
        : 'a child may not be traced, or is not killed; cases that kill before a system call are void',
    },
  ];
}
