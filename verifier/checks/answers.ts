/** The answers that the plan lets a bundle hold: of the roles that run to their end, where one of their calls failed those that are there, and of every inspector. */
import type { Answer } from '../contract/types.js';
import type { Snapshot } from '../read/bundle.js';
import type { Read } from '../read/facts.js';
import { leavesAnswer } from '../read/plan.js';

interface GivenAnswer {
  readonly snapshot: Snapshot;
  readonly file: string;
  readonly answer: Read<Answer>;
  readonly inspects: boolean;
}

export function answersOf(snapshots: readonly Snapshot[]): GivenAnswer[] {
  return snapshots.flatMap((snapshot): GivenAnswer[] => {
    const roles = leavesAnswer(snapshot.planned) ? snapshot.roles : snapshot.roles.filter((role) => role.has('answer.json'));
    return [
      ...roles.map((role) => ({ snapshot, file: role.file('answer.json'), answer: role.answer, inspects: false })),
      { snapshot, file: snapshot.file('inspection.json'), answer: snapshot.inspection, inspects: true },
    ];
  });
}
