/**
 * Loop devices and network namespaces: what later crash models and egress confinement need. Nothing is mounted or entered for good.
 */
import { execa } from 'execa';
import { accessSync, constants } from 'node:fs';
import type { Check } from './check.js';

export async function probeIsolation(): Promise<Check[]> {
  const namespace = await execa('unshare', ['--net', '--map-root-user', '--', 'true'], { reject: false, stdin: 'ignore' });
  return [
    loopDevices(),
    {
      name: 'network_namespace',
      available: !namespace.failed,
      weight: 'information',
      detail: namespace.failed
        ? 'network namespaces cannot be made here'
        : 'network namespaces can be made; runs do not use them yet',
    },
  ];
}

function loopDevices(): Check {
  try {
    accessSync('/dev/loop-control', constants.R_OK | constants.W_OK);
    return { name: 'loop_device', available: true, weight: 'information', detail: 'loop devices can be asked for' };
  } catch {
    return { name: 'loop_device', available: false, weight: 'information', detail: 'no loop devices for this user' };
  }
}
