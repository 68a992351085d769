/**
 * A crash model: what is done to a parked process.
 *
 * It gets the target and a way to note when it struck; it decides nothing about what that proves. Each model is one file
 * beside this one and a parameter of a run, with the real one as the default, so that a test can plant a false one.
 */
import type { Cgroup } from '../process/cgroup.js';

export interface Target {
  readonly pid: number;
  readonly pgid: number;
  readonly cgroup: Cgroup | null;
}

/** `struck` is called at most once, with the moment just before the signal left. */
export type CrashModel = (target: Target, struck: (atNs: bigint) => void) => void;
