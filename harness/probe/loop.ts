/**
 * What the image of a file system needs to be made and mounted, as the ground truth of a power loss does. Nothing is mounted here.
 */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.js';

/** Where programs of root are, which the search path of a person may not name. */
export const systemFolders = ['/usr/sbin', '/sbin'];

export interface LoopMeans {
  readonly isRoot: boolean;
  /** Where loop devices are asked for. */
  readonly device: string;
  readonly has: (program: string) => boolean;
}

const ofHere: LoopMeans = { isRoot: process.getuid?.() === 0, device: '/dev/loop-control', has: hasProgram };
const packages: Readonly<Record<string, string>> = { mount: 'mount', 'mkfs.ext4': 'e2fsprogs', 'mkfs.xfs': 'xfsprogs' };

/** What is lacking, in words; nothing where an image can be made and mounted. */
export function lackingForImages({ isRoot, device, has }: LoopMeans = ofHere): string[] {
  return [
    ...(isRoot ? [] : ['this user is not root']),
    ...(mayUse(device, constants.R_OK | constants.W_OK) ? [] : [`${device} cannot be opened`]),
    ...Object.entries(packages).flatMap(([program, name]) =>
      has(program) ? [] : [`${program} is not installed (Debian: ${name})`],
    ),
  ];
}

export function loopDevices(means: LoopMeans = ofHere): Check {
  const lacking = lackingForImages(means);
  const detail =
    lacking.length === 0
      ? 'what images of ext4 and xfs need is there; none was mounted to see'
      : `no image of ext4 and xfs can be mounted: ${lacking.join(', ')}; what a real one leaves after a power loss is not tried`;
  return { name: 'loop_device', available: lacking.length === 0, weight: 'information', detail };
}

export function hasProgram(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(':'), ...systemFolders].filter(Boolean);
  return folders.some((folder) => mayUse(join(folder, program), constants.X_OK));
}

function mayUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
