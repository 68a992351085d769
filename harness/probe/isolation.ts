/**
 * Loop devices and namespaces: what the ground truth of a power loss, small disks and the confinement of egress need. Nothing is mounted or
 * entered for good.
 */
import { execa } from 'execa';
import { accessSync, constants } from 'node:fs';
import type { Check } from './check.js';

export async function probeIsolation(): Promise<Check[]> {
  const [user, network, mount] = await Promise.all([
    namespaced('--user'),
    namespaced('--net'),
    execa('mount', ['--version'], { reject: false, stdin: 'ignore' }),
  ]);
  const isRoot = process.getuid?.() === 0;
  return [
    loopDevices({ isRoot, hasMount: !mount.failed, device: '/dev/loop-control' }),
    {
      name: 'user_namespace',
      available: user,
      weight: 'information',
      detail: user
        ? 'user namespaces can be made: a file system can be mounted without being root'
        : 'user namespaces cannot be made here; who is not root can mount nothing',
    },
    {
      name: 'network_namespace',
      available: network,
      weight: 'information',
      detail: network ? 'network namespaces can be made; runs do not use them yet' : 'network namespaces cannot be made here',
    },
  ];
}

async function namespaced(kind: '--user' | '--net'): Promise<boolean> {
  const trial = await execa('unshare', [kind, '--map-root-user', '--', 'true'], { reject: false, stdin: 'ignore' });
  return !trial.failed;
}

/** What an image of a file system needs to be mounted. */
export interface LoopMeans {
  readonly isRoot: boolean;
  readonly hasMount: boolean;
  /** Where loop devices are asked for. */
  readonly device: string;
}

export function loopDevices({ isRoot, hasMount, device }: LoopMeans): Check {
  const missing = [
    ...(isRoot ? [] : ['this user is not root']),
    ...(mayUse(device) ? [] : [`${device} cannot be opened`]),
    ...(hasMount ? [] : ['mount is not installed']),
  ];
  const detail =
    missing.length === 0
      ? 'the image of a file system can be mounted'
      : `the image of a file system cannot be mounted: ${missing.join(', ')}; what a real one leaves after a power loss is not tried`;
  return { name: 'loop_device', available: missing.length === 0, weight: 'information', detail };
}

function mayUse(device: string): boolean {
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
