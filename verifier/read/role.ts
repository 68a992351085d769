/**
 * What one role process left: its record, what it announced, its answer. An ordinary snapshot has one, in its own folder; one in
 * which several processes acted has one for each of them, below `members/`. Everything is read on first use and kept.
 */
import type { Answer, CheckpointLine, Process } from '../contract/types.js';
import * as shape from '../contract/validators.js';
import { readFact, readFactLines, type Read, type Source } from './facts.js';
import type { PlannedSnapshot } from './plan.js';

interface Kept {
  process?: Read<Process>;
  answer?: Read<Answer>;
  checkpoint?: Read<CheckpointLine[]>;
}

export class RoleEvidence {
  private readonly kept: Kept = {};

  constructor(
    private readonly source: Source,
    /** Ends with a slash. */
    private readonly folder: string,
    /** Null for the only role of its snapshot. */
    readonly member: string | null,
  ) {}

  file(name: string): string {
    return this.folder + name;
  }

  has(name: string): boolean {
    return this.source.files.has(this.file(name));
  }

  get process(): Read<Process> {
    return (this.kept.process ??= readFact(this.source, this.file('process.json'), shape.validateProcess, 'a process record'));
  }

  get answer(): Read<Answer> {
    return (this.kept.answer ??= readFact(this.source, this.file('answer.json'), shape.validateAnswer, 'an answer'));
  }

  get checkpoint(): Read<CheckpointLine[]> {
    const file = this.file('checkpoint.jsonl');
    return (this.kept.checkpoint ??= readFactLines(this.source, file, shape.validateCheckpointLine, 'a checkpoint line'));
  }
}

/** The members of a group, by its plan. */
export function memberIds(crash: { model: 'race'; racers: number } | { model: 'zombie' }): string[] {
  if (crash.model === 'zombie') return ['owner', 'other'];
  return Array.from({ length: crash.racers }, (_racer, index) => `racer-${index + 1}`);
}

/** A stopped owner from which the state folder is moved away; the folder and its list are then its own. */
export function ownsMovedFolder(crash: PlannedSnapshot['crash'], { member }: RoleEvidence): boolean {
  if (crash?.model !== 'zombie' || member !== 'owner') return false;
  return crash.defeat === 'folder-replaced' || crash.defeat === 'folder-restored';
}
