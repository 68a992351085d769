/** Types of the build script, which is plain JavaScript because it must run before anything is installed. */
export const root: string;
export const programs: string[];
export function ensureContract(): void;
export function ensureBuild(): string;
export function buildPackage(): string;
export function orExit<T>(step: () => T, exitCode?: number): T;
export class BuildError extends Error {
  code: 'build-failed';
}
