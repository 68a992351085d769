/** Types of the installation script, which is plain JavaScript because it must run before anything is installed. */
import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process';

export function isInstalledPerNpm(root: string): boolean;
export function ensureInstalled(root?: string): boolean;
export function ensureInstalledOrExit(): boolean;
export function npm(args: string[], options?: SpawnSyncOptions): SpawnSyncReturns<string | Buffer>;
export class InstallError extends Error {
  code: 'install-failed';
}
