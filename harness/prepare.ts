/**
 * Everything that can refuse a run, before anything is written or started: platform, plan, subject, build, tree.
 */
import { resolve } from 'node:path';
import type { Progress, Stages } from './case/context.js';
import { codeOf, HarnessError } from './errors.js';
import type { Installation } from './io/installation.js';
import { demandWritableOut } from './io/out.js';
import { limits, readPlainFile } from './io/read.js';
import { shippedPlans } from './io/shipped-plans.js';
import { parsePlan } from './plan/load.js';
import type { Plan } from './plan/types.js';
import { diagnose, type Diagnosis } from './probe/doctor.js';
import { type Build, checkBuild } from './provenance/build.js';
import { type Standing, standingOf } from './provenance/standing.js';
import { findSubjects, type InstalledSubject, subjectNamed } from './subject/find.js';

export interface RunRequest {
  readonly planFile: string;
  readonly out: string;
  readonly subjects: readonly string[];
  readonly exploratory: boolean;
  readonly jobs: number;
  readonly cases: readonly string[];
  /** The command line, for the record. */
  readonly argv: readonly string[];
  readonly installation: Installation;
  readonly progress: Progress;
  readonly stages?: Stages;
  /** Told once the plan is accepted, so that a display can list its cases. */
  readonly onPlan?: (cases: readonly string[]) => void;
  readonly signal?: AbortSignal;
}

export interface Prepared {
  readonly plan: Plan;
  readonly planBytes: Buffer;
  readonly build: Build;
  readonly standing: Standing;
  readonly diagnosis: Diagnosis;
  readonly subject: InstalledSubject;
}

export async function prepare(request: RunRequest): Promise<Prepared> {
  const { installation, planFile } = request;
  if (process.platform !== 'linux') {
    throw new HarnessError('platform-unsupported', `Runs need Linux; on ${process.platform} killpoint only verifies.`);
  }
  const planBytes = readPlan(planFile, installation);
  demandWritableOut(resolve(request.out));
  const subjects = findSubjects(installation, request.subjects);
  const plan = parsePlan(
    planBytes,
    planFile,
    subjects.map(({ description }) => description),
  );
  const build = checkBuild(installation);
  const reason = request.exploratory
    ? 'asked for by --exploratory'
    : request.cases.length > 0
      ? 'only some cases were run (--case)'
      : null;
  const standing = await standingOf(planFile, resolve(request.out), reason, installation);
  return {
    plan,
    planBytes,
    build,
    standing,
    subject: subjectNamed(subjects, plan.subject),
    diagnosis: await diagnose(resolve(request.out)),
  };
}

function readPlan(path: string, installation: Installation): Buffer {
  try {
    return readPlainFile(path, limits.plan);
  } catch (error) {
    if (codeOf((error as Error).cause) === 'ENOENT') throw absent(path, shippedPlans(installation, process.cwd()));
    throw new HarnessError('plan-unreadable', `The plan ${path} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

function absent(path: string, plans: readonly string[]): HarnessError {
  const further = plans.length === 0 ? '' : ' The plans that come with killpoint:';
  return new HarnessError('plan-unreadable', `There is no plan at ${path}.${further}`, { items: plans });
}
