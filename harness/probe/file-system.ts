/**
 * The file system under a path: the mount with the longest prefix decides, and of two mounts on one place the later.
 *
 * SQLite's write-ahead log needs coherent shared memory; on mounts shared with another kernel pages of zeros were seen, with no error at
 * open. Such kinds are warned about before anything runs there.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { nearestExisting } from '../io/out.js';
import type { Check } from './check.js';

const unsafe = /^(nfs4?|cifs|smb3?|smbfs|9p|virtiofs|vboxsf|fuse\..*|fuseblk|afs|ceph|glusterfs|lustre|prl_fs|vmhgfs)$/;

export function fileSystemOf(path: string, mounts = readFileSync('/proc/mounts', 'utf8')): string {
  let best = { point: '', type: 'unknown' };
  for (const line of mounts.split('\n')) {
    const [, escaped = '', type = 'unknown'] = line.split(' ');
    const point = escaped.replace(/\\([0-7]{3})/g, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
    const covers = point === '/' || path === point || path.startsWith(`${point}/`);
    if (point !== '' && covers && point.length >= best.point.length) best = { point, type };
  }
  return best.type;
}

export function isUnsafeFileSystem(type: string): boolean {
  return unsafe.test(type);
}

export function probeFileSystem(path: string): Check & { readonly type: string } {
  const type = fileSystemOf(realpathSync(nearestExisting(path)));
  const bad = isUnsafeFileSystem(type);
  const detail = bad
    ? `${type} is shared with another kernel or a server: SQLite's write-ahead log is not safe there; choose a local folder`
    : `${type} under the output folder`;
  return { name: 'file_system', available: !bad, weight: 'used', detail, type };
}
