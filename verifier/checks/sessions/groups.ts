/** Several processes that acted on one session, as the parts of G44 see them. */
import type { History } from '../../model/sessions/history.js';
import type { Word } from '../../model/sessions/open-for.js';
import { stageOf } from '../../model/sessions/stage.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { Actor } from '../actors.js';
import type { SubjectModel } from '../subject-model.js';
import type { Tenure } from './tenures.js';

/** Without a file it is the log, and without a seq the whole of it. */
type Report = (detail: string, at?: { file?: string; seq?: number | null }) => void;

export interface Group {
  readonly snapshot: Snapshot;
  readonly bundle: Bundle;
  readonly model: SubjectModel;
  readonly members: readonly Actor[];
  /** What they added to the folder at the path, in order. */
  readonly tenures: readonly Tenure[];
  readonly doubled: Report;
  readonly lost: Report;
}

/** What only records a person's word, and seals nothing itself. */
const onlyRecords: ReadonlySet<unknown> = new Set(['approve', 'cancel']);

/** Whoever carries a run on leaves it with its end, or waiting for a person. */
export function leavesOpen({ operation }: Pick<Word, 'operation'>, { runs }: History): boolean {
  const run = runs.at(-1);
  if (run === undefined || onlyRecords.has(operation)) return false;
  const stage = stageOf(run);
  return stage !== 'finished' && stage !== 'paused';
}
