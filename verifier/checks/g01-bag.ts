/**
 * G1: The bundle is a strict bag: every file is listed with its hash, every listed file is there, and there is nothing else.
 * Verified: all four bag files to the letter, every listed hash, names, the layout, links and empty folders, the name of the run.
 * Not verified: modes, owners and times, which mean nothing; whether this is the bag that was sealed (compare the root hash).
 */
import { EvidenceError } from '../errors.js';
import { bagName, bagProblems, tagFiles, tagManifest, type BagProblem } from '../read/bag.js';
import type { Bundle } from '../read/bundle.js';
import { leavesAnswer } from '../read/plan.js';
import { nowhere, type BundleCheck, type CheckResult } from './check.js';
import { parkedAt } from './parking.js';
import { isSelected, judgedSnapshots } from './selection.js';
import type { SubjectModel } from './subject-model.js';

export const g01: BundleCheck = {
  guarantee: 'G1',
  sentence:
    'The bundle is a strict bag: every file is listed with its hash, every listed file is there, and there is nothing else.',
  covers: 'the four files of the bag to the letter, every hash, every name, the layout, links and empty folders',
  doesNotCover: 'modes, owners and times; whether this is the bag that was sealed, which only its root hash can tell',
  codes: ['bag-malformed', 'file-forbidden', 'file-unlisted', 'file-missing', 'file-altered'],
  scope: 'bundle',
  check(bundle: Bundle, model): CheckResult {
    const { tree } = bundle;
    const findings = [...bagProblems(tree), ...nameProblems(bundle)].map(({ code, file, detail }) => ({
      code,
      where: { ...nowhere, file },
      detail,
    }));
    const [unread] = tree.unreadable;
    let unknown = unread === undefined ? undefined : `${unread.path} ${unread.why}.`;
    let planned: string[] = [];
    try {
      planned = plannedFiles(bundle, model);
    } catch (error) {
      // What cannot be told without a ledger takes nothing from what the bag says by itself.
      if (!(error instanceof EvidenceError)) throw error;
      unknown ??= error.message;
    }
    return { expected: planned.length, seen: planned.filter((path) => tree.files.has(path)).length, findings, unknown };
  },
};

function nameProblems({ tree, execution }: Bundle): BagProblem[] {
  const name = bagName(tree);
  if (name === null || execution.value === undefined || name === execution.value.run_id) return [];
  return [{ code: 'bag-malformed', file: 'bag-info.txt', detail: 'The bag is named after another run than the recorded one.' }];
}

/** The files that every run of this plan must hold: the count does not depend on the run, but for the calls that a ratchet found and the states that a power loss left. */
function plannedFiles(bundle: Bundle, model: SubjectModel): string[] {
  const whole = [...tagFiles, tagManifest, 'data/plan.json', 'data/execution.json', 'data/build.json'];
  const cases = bundle.cases.filter(({ id }) => isSelected(bundle, id)).map(({ id }) => `data/cases/${id}/case.json`);
  const ofEach = ['receipts.jsonl', 'inspector.json', 'inspection.json'];
  const ofSnapshots = judgedSnapshots(bundle).flatMap((snapshot) => {
    const { crash, traced } = snapshot.planned;
    const ofLoss = snapshot.loss === undefined ? [] : ['trace.txt', 'derivation.json', 'states.jsonl'];
    const group = [...(crash === null ? [] : ['group.json']), ...(traced === null ? [] : ['trace.txt']), ...ofLoss];
    const own = snapshot.roles.flatMap((role) => [
      role.file('process.json'),
      ...(leavesAnswer(snapshot.planned) ? [role.file('answer.json')] : []),
      ...(parkedAt(snapshot, role) === null ? [] : [role.file('checkpoint.jsonl')]),
    ]);
    const made = snapshot.states.filter(({ unfinished }) => !unfinished);
    const states = made.flatMap((state) => [state.file('format.json'), model.logFile(state)]);
    return [...[...ofEach, ...group].map((name) => snapshot.file(name)), ...states, ...own];
  });
  return [...whole, ...cases, ...ofSnapshots];
}
