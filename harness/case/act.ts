/**
 * Has the processes of one snapshot do what a crash model says, to their end.
 *
 * Fault model: process crash, of the roles and of the model itself: whatever happened, nobody who acted lives when this returns. Anything
 * that keeps the crash from being proved is told as trouble, since a crash that did not happen proves nothing.
 */
import type { CrashModel, Part, Scene } from '../crash/model.js';
import { CaseVoid, endsTheRun } from '../errors.js';
import type { RoleProcess } from '../process/spawn.js';
import type { Prefix } from '../provider/provider.js';
import { type Finished, type Limits, type LiveActor, watchActor } from './actor.js';

/** Where they act, and how one of them is spawned. */
export interface Stage extends Omit<Scene, 'start'> {
  readonly spawn: (part: Part) => RoleProcess;
  readonly prefix: Pick<Prefix, 'held'>;
  readonly limits: Limits;
}

export interface Acted {
  /** Those that were started, in the order of the cast. */
  readonly all: Finished[];
  readonly trouble: CaseVoid | null;
}

export async function act<Treatment>(
  { spawn, prefix, limits, ...ground }: Stage,
  model: CrashModel<Treatment>,
  treatment: Treatment,
): Promise<Acted> {
  const actors: LiveActor[] = [];
  const cast = model.cast(treatment);
  const start = (part: Part): LiveActor => {
    const actor = watchActor(part, spawn(part), prefix, limits, model.reasons);
    actors.push(actor);
    return actor;
  };
  let failure: unknown = null;
  try {
    await model.play({ ...ground, start }, cast, treatment);
    failure = whoStillRuns(actors);
  } catch (error) {
    failure = error;
  }
  const all = await Promise.all(actors.map((actor) => actor.finish(failure === null)));
  if (endsTheRun(failure)) {
    for (const { role } of all) role.release();
    throw failure;
  }
  const trouble = failure === null ? null : asVoid(failure);
  all.sort((left, right) => cast.indexOf(left.part) - cast.indexOf(right.part));
  return { all, trouble: trouble ?? whoOutlived(all) ?? model.doubt(all, treatment) };
}

/** A model that is through has ended everybody, or has waited for their end. */
function whoStillRuns(actors: readonly LiveActor[]): CaseVoid | null {
  const running = actors.filter(({ role }) => !role.timeline.has('exit_seen'));
  if (running.length === 0) return null;
  return new CaseVoid('harness-error', `The crash model left ${running.map(({ role }) => role.pid).join(', ')} running.`);
}

function whoOutlived(all: readonly Finished[]): CaseVoid | null {
  const survivors = all.flatMap((one) => one.survivors);
  return survivors.length === 0 ? null : new CaseVoid('survivors', `Processes outlived the role: ${survivors.join(', ')}.`);
}

function asVoid(error: unknown): CaseVoid {
  if (error instanceof CaseVoid) return error;
  return new CaseVoid('harness-error', `The role could not be run: ${(error as Error).message}`, { cause: error });
}
