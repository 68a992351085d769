/**
 * What the stages of every case of one run share.
 *
 * `stages` holds the steps that a test may replace by a false one, to show that evidence made by a broken harness is not
 * taken for good. No command-line flag reaches them.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { crashModels, type CrashModels } from '../crash/models.js';
import type { Installation } from '../io/installation.js';
import { copyState, type CopyState } from '../io/inventory.js';
import type { Plan } from '../plan/types.js';
import { spawnRole, type SpawnRole } from '../process/spawn.js';
import type { Watchdog } from '../process/watchdog-client.js';
import type { Provider } from '../provider/provider.js';
import type { InstalledSubject } from '../subject/find.js';
import type { Slots } from './slots.js';
import type { Workers } from './workers.js';

export interface Stages {
  readonly spawn: SpawnRole;
  readonly models: CrashModels;
  readonly copy: CopyState;
}

export const realStages: Stages = { spawn: spawnRole, models: crashModels, copy: copyState };

export type Progress = (event: {
  case: string;
  snapshot: string | null;
  what: 'began' | 'acted' | 'done' | 'void';
  detail?: string;
}) => void;

export interface RunContext {
  readonly installation: Installation;
  readonly subject: InstalledSubject;
  readonly plan: Plan;
  /** The bag that grows, and a folder beside it for what is not evidence. */
  readonly bag: string;
  readonly work: string;
  readonly provider: Provider;
  readonly watchdog: Watchdog;
  readonly cgroupHome: string | null;
  /** Why no role can be traced here; null where one can. */
  readonly noTracing: string | null;
  readonly slots: Slots;
  readonly workers: Workers;
  readonly stages: Stages;
  readonly progress: Progress;
}

export interface Places {
  /** In the bag. */
  readonly folder: string;
  readonly state: string;
  /** Beside the bag. */
  readonly work: string;
  readonly live: string;
  readonly receipts: string;
  /** The state that it begins with, where no snapshot holds it. */
  readonly begun: string;
  readonly scenario: string;
  /** What a tracer writes, as it writes it. */
  readonly trace: string;
}

/** Names the places of a snapshot, and makes the two folders. */
export function makePlaces(context: RunContext, caseId: string, snapshot: string): Places {
  const places = namePlaces(context, caseId, snapshot);
  mkdirSync(places.folder, { recursive: true });
  mkdirSync(places.work, { recursive: true });
  return places;
}

export function namePlaces({ bag, work: home }: RunContext, caseId: string, snapshot: string): Places {
  const folder = join(bag, 'data', 'cases', caseId, snapshot);
  const work = join(home, caseId, snapshot);
  return {
    folder,
    state: join(folder, 'state'),
    work,
    live: join(work, 'state'),
    receipts: join(work, 'receipts.jsonl'),
    begun: join(work, 'begun'),
    scenario: join(work, 'scenario.json'),
    trace: join(work, 'trace.raw'),
  };
}
