/** The system calls that a log is made of, and what they say when they fail. Whoever opens a log may give others, to watch these or to fail them. */
import * as fs from 'node:fs';
import { systemCode } from '../../store/read-error.js';

export type Files = Pick<
  typeof fs,
  | 'openSync'
  | 'closeSync'
  | 'readSync'
  | 'writeSync'
  | 'fdatasyncSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'fstatSync'
  | 'lstatSync'
  | 'renameSync'
>;

export const systemFiles: Files = fs;

/** The system's name of a failure, or its words. */
export function reasonOf(cause: unknown): string {
  return systemCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}
