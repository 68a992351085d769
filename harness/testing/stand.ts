/**
 * A stand for tests of whole runs: the compiled programs and a folder of its own, there before the tests of a file and gone after them.
 */
import { afterAll, beforeAll } from 'vitest';
import type { Installation } from '../io/installation.js';
import type { Plan, PlannedCase } from '../plan/types.js';
import type { RunRequest } from '../prepare.js';
import { runPlan, type RunResult } from '../run.js';
import { builtInstallation, requestFor, temporaryFolder, toyPlan } from './plans.js';

export interface Stand {
  /** To be read in a test or a hook, not before. */
  readonly installation: Installation;
  /** The path of the folder. */
  readonly folder: string;
  /** A request to run the plan, in the folder or in another. */
  request(plan: Plan, more?: Partial<RunRequest>, folder?: string): RunRequest;
  /** Runs the toy's plan with these cases. */
  run(cases: PlannedCase[], more?: Partial<RunRequest>, folder?: string): Promise<RunResult>;
}

/** Called once by a test file, outside of its tests. */
export function standForRuns(): Stand {
  const { path, remove } = temporaryFolder();
  let installation: Installation | null = null;
  beforeAll(() => {
    installation = builtInstallation();
  });
  afterAll(remove);
  const built = (): Installation => {
    if (installation === null) throw new Error('The programs are built before the first test, not before that.');
    return installation;
  };
  const request: Stand['request'] = (plan, more = {}, folder = path) => requestFor(plan, folder, built(), more);
  return {
    get installation() {
      return built();
    },
    folder: path,
    request,
    run: (cases, more, folder) => runPlan(request(toyPlan(cases), more, folder)),
  };
}
