/**
 * Where a state may lie, a ledger or a session: on a file system of this kernel alone.
 *
 * A write-ahead log has its index in memory that every process shares. On a mount that another kernel or a server writes too, that index is
 * not coherent: pages of zeros were seen there, with no error at open. A session has no such index, but its lease is a lock that another
 * kernel need not see. So the kinds known for it are refused before SQLite is asked for anything; a kind that nobody here knows passes.
 */
import { readFileSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { RuntimeError } from '../core/errors.js';
import { readError, saysExhausted } from './read-error.js';

const mountsPath = '/proc/self/mounts';
const shared = /^(nfs4?|cifs|smb3?|smbfs|9p|virtiofs|vboxsf|vmhgfs|prl_fs|afs|ceph|glusterfs|lustre|gfs2|ocfs2|beegfs|gpfs)$/;
const sharedInUserSpace =
  /^fuse\.(sshfs|glusterfs|ceph|ceph-fuse|cephfs|s3fs|gcsfuse|rclone|davfs2?|gvfsd-fuse|vmhgfs-fuse|grpcfuse|osxfs|curlftpfs|lustre|juicefs|afpfs)$/;

/** By the numbers of the kernel (statfs(2)): ext2 to ext4, xfs, btrfs, tmpfs, overlay. None of them is a kind that is refused. */
const ownTypes: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]);

export function isSharedFileSystem(type: string): boolean {
  return shared.test(type) || sharedInUserSpace.test(type);
}

/** The type of the mount that a real path lies on, by a mount table: the longest mount point decides, and of two the later. Null: none. */
export function fileSystemAt(path: string, mountTable: string): string | null {
  let best: { point: string; type: string } | null = null;
  for (const line of mountTable.split('\n')) {
    const [, escaped, type] = line.split(' ');
    if (escaped === undefined || type === undefined) continue;
    const point = escaped.includes('\\') ? unescaped(escaped) : escaped;
    const covers = point === '/' || path === point || path.startsWith(`${point}/`);
    if (covers && point.length >= (best?.point.length ?? 0)) best = { point, type };
  }
  return best?.type ?? null;
}

function unescaped(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Refuses a folder, there or not yet, on a file system on which no state is safe. */
export function demandOwnFileSystem(directory: string, givenTable?: string | null): void {
  // Mostly one question to the kernel is enough. The table knows more kinds by name, and takes longer.
  if (givenTable === undefined && isOnOwnType(directory)) return;
  const mountTable = givenTable === undefined ? mounts() : givenTable;
  const place = realPlace(directory);
  const type = mountTable === null || place === null ? null : fileSystemAt(place, mountTable);
  if (type === null || !isSharedFileSystem(type)) return;
  throw new RuntimeError(
    'file-system-unsafe',
    `${directory} is on ${type}, which another kernel or a server shares, and neither a ledger nor a session is safe there. Choose a folder on a local disk.`,
  );
}

/** False also where nothing is there, or it may not be asked. */
function isOnOwnType(directory: string): boolean {
  try {
    return ownTypes.has(statfsSync(directory).type);
  } catch {
    return false;
  }
}

/** Null where there is no such table: then nothing is known. */
function mounts(): string | null {
  try {
    return readFileSync(mountsPath, 'utf8');
  } catch (cause) {
    if (saysExhausted(cause)) throw readError(mountsPath, cause);
    return null;
  }
}

/** The real path of a folder, or of the nearest one above it that is there; null where it may not be looked at, which is told elsewhere. */
function realPlace(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path ? realPlace(dirname(path)) : null;
  }
}
