/**
 * Spawns the role of a snapshot as the subject protocol says: what it is told, and where its own files lie.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tracedEnvironment, underTracer } from '../crash/tracer.js';
import type { Part } from '../crash/model.js';
import { canonicalLine } from '../io/canonical.js';
import type { Input, Operation, PlannedSnapshot } from '../plan/types.js';
import type { RoleProcess } from '../process/spawn.js';
import type { Prefix } from '../provider/provider.js';
import { commandOf } from '../subject/find.js';
import type { Places, RunContext } from './context.js';

export interface Told {
  readonly operation: Operation | null;
  readonly input: Input | null;
}

export interface OwnPlaces {
  /** In the bag: its records. */
  readonly folder: string;
  /** Beside the bag: its answer and its input. */
  readonly answer: string;
  readonly input: string;
  /** Beside the bag: the state folder, where it was moved away from the process. */
  readonly aside: string;
}

export function toldTo(planned: PlannedSnapshot, part: Part): Told {
  return part.told ?? { operation: planned.operation, input: planned.input };
}

/** The places of one of several processes are its own; one that acts alone has those of the snapshot. */
export function ownPlaces({ folder, work }: Places, { member }: Part): OwnPlaces {
  const below = member === null ? [] : ['members', member];
  return {
    folder: join(folder, ...below),
    answer: join(work, ...below, 'answer.json'),
    input: join(work, ...below, 'input.json'),
    aside: join(work, ...below, 'aside'),
  };
}

export function startRole(
  context: RunContext,
  planned: PlannedSnapshot,
  places: Places,
  prefix: Prefix,
  part: Part,
): RoleProcess {
  const command = commandOf(context.subject, planned.role, context.installation);
  const own = ownPlaces(places, part);
  const told = toldTo(planned, part);
  if (part.member !== null) for (const home of [own.folder, dirname(own.answer)]) mkdirSync(home, { recursive: true });
  if (told.input !== null) writeFileSync(own.input, canonicalLine(told.input));
  const { traced } = planned;
  const { file, args } = traced === null ? command : underTracer(command, traced, places.live, places.trace);
  return context.stages.spawn({
    file,
    args,
    folder: context.subject.folder,
    environment: {
      KILLPOINT_STATE: places.live,
      KILLPOINT_PROVIDER_URL: prefix.url,
      KILLPOINT_SCENARIO: places.scenario,
      KILLPOINT_OUT: own.answer,
      ...(planned.role === 'resume' ? recoveryEnvironment(told, own) : {}),
      ...(part.parkedAt?.at === 'checkpoint'
        ? { KILLPOINT_CHECKPOINT: `${part.parkedAt.checkpoint}#${part.parkedAt.occurrence}` }
        : {}),
      ...(traced === null ? {} : tracedEnvironment),
    },
    cgroupHome: context.cgroupHome,
    watchdog: context.watchdog,
  });
}

/** A plan names no id: what is done concerns the one that the task names. */
function recoveryEnvironment({ operation, input }: Told, own: OwnPlaces): Record<string, string> {
  return {
    KILLPOINT_OPERATION: operation ?? '',
    KILLPOINT_ON: '',
    KILLPOINT_INPUT: input === null ? '' : own.input,
    KILLPOINT_DRY_RUN: '',
  };
}
