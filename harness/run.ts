/**
 * One run, from a plan to a sealed bundle: refuse what cannot be run, start provider and watchdog, run the cases, seal.
 *
 * Facts are recorded; nothing here says pass. Until the last rename there is only a `.partial` folder, and whatever ends this process, the
 * watchdog leaves no process behind.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { realStages, type RunContext } from './case/context.js';
import { workersOf } from './case/derived.js';
import type { Reached } from './case/reach.js';
import { type CaseResult, runCase } from './case/run-case.js';
import { createSlots } from './case/slots.js';
import { codeOf, HarnessError } from './errors.js';
import { canonicalLine, sha256 } from './io/canonical.js';
import { syncPath } from './io/durable.js';
import { makeFolder } from './io/out.js';
import { selectCases } from './plan/load.js';
import type { Plan } from './plan/types.js';
import { type Prepared, prepare, type RunRequest } from './prepare.js';
import { packageVersions, platformFacts, sqliteVersion } from './probe/versions.js';
import { type Watchdog, startWatchdog } from './process/watchdog-client.js';
import { type Provider, startProvider } from './provider/provider.js';
import { plainReason, publishBag } from './seal/bag.js';
import { executionRecord } from './seal/execution.js';

export interface RunResult {
  readonly bundle: string;
  readonly runId: string;
  readonly plan: string;
  readonly rootSha256: string;
  readonly confirmatory: boolean;
  /** Only some of the planned cases were asked for. */
  readonly selected: boolean;
  readonly cases: number;
  readonly voids: { case: string; snapshot: string; reason: string; detail: string }[];
  readonly kills: number;
  /** Of each arm that stands for many crashes, in the order of the plan. */
  readonly reached: readonly Reached[];
}

export async function runPlan(request: RunRequest): Promise<RunResult> {
  const prepared = await prepare(request);
  const selected = selectCases(prepared.plan, request.cases);
  request.onPlan?.(selected.map(({ id }) => id));
  const startedAt = new Date();
  const runId = `${startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomBytes(4).toString('hex')}`;
  const home = resolve(request.out, prepared.plan.id);
  const partial = join(home, `${runId}.partial`);
  const results = await recording(partial, () => {
    makeFolder(home);
    for (const name of ['', 'bag', 'bag/data', 'work']) mkdirSync(join(partial, name));
    return live(request, prepared, partial, selected);
  });
  await recording(partial, () => writeRecord(request, prepared, partial, runId, startedAt));
  const bundle = join(home, runId);
  const rootSha256 = publishBag(partial, bundle, runId, startedAt.toISOString().slice(0, 10));
  removeWork(partial, home);
  return {
    bundle,
    runId,
    plan: prepared.plan.id,
    rootSha256,
    confirmatory: prepared.standing.confirmatory,
    selected: request.cases.length > 0,
    cases: results.length,
    voids: results.flatMap((result) => (result.void === null ? [] : [{ case: result.case, ...result.void }])),
    kills: results.reduce((sum, { kills }) => sum + kills, 0),
    reached: results.flatMap(({ reached }) => reached),
  };
}

/** The bundle is there, and durable: what cannot be cleared away beside it takes nothing from it. */
function removeWork(partial: string, home: string): void {
  try {
    rmSync(partial, { recursive: true, force: true });
    syncPath(home);
  } catch (error) {
    if (codeOf(error) === null) throw error;
  }
}

/** Between the watchdog's start and its end: whatever is thrown in here, nothing that was started lives on. */
async function live(request: RunRequest, prepared: Prepared, partial: string, selected: Plan['cases']): Promise<CaseResult[]> {
  const watchdog = startWatchdog(request.installation.watchdog);
  let provider: Provider | null = null;
  const interrupted = new Promise<never>((_resolve, reject) => {
    const stop = (): void =>
      reject(new HarnessError('interrupted', `The run was interrupted; what was recorded is in ${partial}.`));
    request.signal?.addEventListener('abort', stop, { once: true });
    if (request.signal?.aborted) stop();
  });
  interrupted.catch(() => undefined);
  try {
    provider = await Promise.race([
      startProvider(request.installation.provider, watchdog, join(partial, 'work', 'provider.log')),
      interrupted,
    ]);
    const context = contextOf(request, prepared, partial, watchdog, provider);
    // As many cases as jobs are under way, so that they end about in plan order; their role processes share the slots.
    const underWay = createSlots(request.jobs);
    const all = selected.map((planned) => underWay.use(() => runCase(context, planned)));
    const results = await Promise.race([Promise.all(all), interrupted]);
    await context.workers.end();
    await provider.end();
    return results;
  } finally {
    // Ends the watchdog's pipe: it kills what is still named, which after a whole run is nobody.
    await watchdog.end();
  }
}

function contextOf(request: RunRequest, prepared: Prepared, partial: string, watchdog: Watchdog, provider: Provider): RunContext {
  const context = {
    installation: request.installation,
    subject: prepared.subject,
    plan: prepared.plan,
    bag: join(partial, 'bag'),
    work: join(partial, 'work'),
    provider,
    watchdog,
    cgroupHome: prepared.diagnosis.cgroupHome,
    noTracing: prepared.diagnosis.noTracing,
    slots: createSlots(request.jobs),
    stages: request.stages ?? realStages,
    progress: request.progress,
  };
  return { ...context, workers: workersOf(context) };
}

async function writeRecord(
  request: RunRequest,
  prepared: Prepared,
  partial: string,
  runId: string,
  startedAt: Date,
): Promise<void> {
  const { standing, build, diagnosis, planBytes } = prepared;
  const data = join(partial, 'bag', 'data');
  writeFileSync(join(data, 'plan.json'), planBytes, { flag: 'wx' });
  writeFileSync(join(data, 'build.json'), build.bytes, { flag: 'wx' });
  if (standing.objects.size > 0) mkdirSync(join(data, 'git'));
  for (const [id, bytes] of standing.objects) writeFileSync(join(data, 'git', id), bytes, { flag: 'wx' });
  const record = executionRecord({
    run_id: runId,
    confirmatory: standing.confirmatory,
    reason: standing.reason,
    selected: request.cases.length === 0 ? null : selectCases(prepared.plan, request.cases).map(({ id }) => id),
    started_at: startedAt.toISOString(),
    ended_at: new Date().toISOString(),
    argv: request.argv,
    folder: process.cwd(),
    jobs: request.jobs,
    plan: { sha256: sha256(planBytes), ...standing.plan },
    git: await standing.atEnd(),
    build: build.facts,
    versions: { node: process.versions.node, sqlite: sqliteVersion(), packages: packageVersions(request.installation) },
    platform: platformFacts(diagnosis.fileSystem),
    checks: diagnosis.checks,
  });
  writeFileSync(join(data, 'execution.json'), canonicalLine(record), { flag: 'wx' });
}

/** A failure to record is not the subject's: one sentence, and the remains stay where they are. */
async function recording<T>(partial: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Only what the system refused is a failure to record; anything else is a defect of ours and must look like one.
    if (codeOf(error) === null) throw error;
    throw new HarnessError(
      'record-failed',
      `The run could not be recorded (${plainReason(error)}); ${existsSync(partial) ? `what was recorded is in ${partial}` : 'nothing was recorded'}.`,
      { cause: error },
    );
  }
}
