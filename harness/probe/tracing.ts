/**
 * System-call tracing: is strace there, and may it trace a child? Later crash models need it; today it is information.
 */
import { execa } from 'execa';
import type { Check } from './check.js';

export async function probeTracing(): Promise<Check[]> {
  const version = await execa('strace', ['-V'], { reject: false, stdin: 'ignore' });
  if (version.failed) {
    return [
      { name: 'strace', available: false, weight: 'information', detail: 'strace is not installed' },
      { name: 'ptrace', available: false, weight: 'information', detail: 'not tried without strace' },
    ];
  }
  const trial = await execa('strace', ['-qq', '-e', 'trace=exit_group', '-o', '/dev/null', process.execPath, '--version'], {
    reject: false,
    stdin: 'ignore',
  });
  return [
    { name: 'strace', available: true, weight: 'information', detail: version.stdout.split('\n')[0] ?? 'strace' },
    {
      name: 'ptrace',
      available: !trial.failed,
      weight: 'information',
      detail: trial.failed ? 'a child may not be traced' : 'a child can be traced',
    },
  ];
}
