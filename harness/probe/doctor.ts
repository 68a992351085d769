/**
 * What this machine can do, as far as a run needs it, in one list. The answer is recorded in every bundle, so that a missing mechanism is never
 * taken for a passed test. `killpoint doctor` prints it, and what a sync costs besides, which is measured nowhere else: no run waits for that.
 */
import { probeCgroup } from './cgroup.js';
import type { Check } from './check.js';
import { probeFileSystem } from './file-system.js';
import { probeIsolation } from './isolation.js';
import { probePeerPid } from './peer-pid.js';
import { probeTracing } from './tracing.js';
import { probeVersions } from './versions.js';

export interface Diagnosis {
  readonly checks: Check[];
  readonly cgroupHome: string | null;
  /** Why no role can be traced here; null where one can. */
  readonly noTracing: string | null;
  readonly fileSystem: string;
}

export async function diagnose(out: string): Promise<Diagnosis> {
  const versions = probeVersions();
  const cgroup = probeCgroup();
  const { type, ...fileSystem } = probeFileSystem(out);
  const [peer, tracing, isolation] = await Promise.all([probePeerPid(), probeTracing(), probeIsolation()]);
  return {
    checks: [...versions, cgroup.check, fileSystem, peer, ...tracing, ...isolation],
    cgroupHome: cgroup.home,
    noTracing: tracing.find(({ available }) => !available)?.detail ?? null,
    fileSystem: type,
  };
}
