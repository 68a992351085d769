/**
 * G1: The bundle is a strict bag: every file is listed with its hash, every listed file is there, and there is nothing else.
 * Verified: all four bag files, every listed hash, names, the layout, links and empty folders.
 * Not verified: modes, owners and times, which mean nothing; whether this is the bag that was sealed (compare the root hash).
 */
import { bagProblems, tagFiles } from '../read/bag.js';
import type { Bundle } from '../read/bundle.js';
import { nowhere, type BundleCheck, type CheckResult } from './check.js';

export const g01: BundleCheck = {
  guarantee: 'G1',
  sentence:
    'The bundle is a strict bag: every file is listed with its hash, every listed file is there, and there is nothing else.',
  covers: 'the four files of the bag, every hash, every name, the layout, links and empty folders',
  doesNotCover: 'modes, owners and times; whether this is the bag that was sealed, which only its root hash can tell',
  codes: ['bag-malformed', 'file-forbidden', 'file-unlisted', 'file-missing', 'file-altered'],
  scope: 'bundle',
  check(bundle: Bundle): CheckResult {
    const { tree } = bundle;
    const planned = plannedFiles(bundle);
    const findings = bagProblems(tree).map(({ code, file, detail }) => ({ code, where: { ...nowhere, file }, detail }));
    const unreadable = tree.unreadable.length > 0 ? 'A file of the bundle cannot be read.' : undefined;
    // A planned file that is neither listed nor there is not the bag's fault: G3 names it. Here only hashing is counted.
    const absent = planned.filter((path) => !tree.files.has(path) && !tree.unreadable.includes(path)).length;
    const seen = planned.filter((path) => tree.files.has(path)).length;
    return { expected: planned.length - absent, seen, findings, unknown: unreadable };
  },
};

/** The files that every run of this plan must hold: the count does not depend on the run. */
function plannedFiles({ cases }: Bundle): string[] {
  const whole = [...tagFiles, 'tagmanifest-sha256.txt', 'data/plan.json', 'data/execution.json', 'data/build.json'];
  const ofCases = cases.flatMap(({ id, snapshots }) => [
    `data/cases/${id}/case.json`,
    ...snapshots.flatMap((snapshot) =>
      ['process.json', 'receipts.jsonl', 'inspector.json', 'inspection.json', 'state/format.json', 'state/ledger.sqlite'].map(
        (name) => snapshot.file(name),
      ),
    ),
  ]);
  return [...whole, ...ofCases];
}
