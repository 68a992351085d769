/** The answers that the plan lets a bundle hold: of the roles that run to their end, and of every inspector. */
import type { Answer } from '../contract/types.js';
import type { Snapshot } from '../read/bundle.js';
import type { Read } from '../read/facts.js';

interface GivenAnswer {
  readonly snapshot: Snapshot;
  readonly file: string;
  readonly answer: Read<Answer>;
  readonly inspects: boolean;
}

export function answersOf(snapshots: readonly Snapshot[]): GivenAnswer[] {
  return snapshots.flatMap((snapshot): GivenAnswer[] => {
    const roles = snapshot.planned.kill === null ? snapshot.roles : [];
    return [
      ...roles.map((role) => ({ snapshot, file: role.file('answer.json'), answer: role.answer, inspects: false })),
      { snapshot, file: snapshot.file('inspection.json'), answer: snapshot.inspection, inspects: true },
    ];
  });
}
