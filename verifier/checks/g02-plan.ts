/**
 * G2: The plan in the bundle is a valid plan, is the one that the execution record names, and, in a confirmatory run, lies in the
 * named commit, from a clean tree, run by the recorded build.
 * Verified: shape and names of the plan; its hash; the chain of git objects from commit to blob, in an exploratory run too where it
 * keeps them, and that no other object is there; the inventory of the build, and that every role and inspector ran its own program of it.
 * Not verified: that the plan came before anybody peeked, and when anything was committed: a commit carries any date. That the files
 * of the build held what the inventory says when they ran: the harness looked, their bytes are not in the bundle.
 */
import { EvidenceError } from '../errors.js';
import type { Process } from '../contract/types.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import { readBuild, type Build } from '../read/build.js';
import type { Read } from '../read/facts.js';
import type { RoleEvidence } from '../read/role.js';
import { fileSha256 } from '../read/hash.js';
import { blobId, follow } from '../read/git-objects.js';
import { need, nowhere, perItem, type BundleCheck, type CheckResult, type Say } from './check.js';
import { judgedSnapshots } from './selection.js';

interface Item {
  readonly file: string;
  readonly snapshot: Snapshot | null;
  judge(say: Say): void;
}

export const g02: BundleCheck = {
  guarantee: 'G2',
  sentence:
    'The plan in the bundle is a valid plan, is the one that the execution record names, and, in a confirmatory run, lies in the named commit, from a clean tree, run by the recorded build.',
  covers:
    'shape and names of the plan, its hash, the git objects from the commit to the plan and no other, the inventory of the build and in it the program of every role and inspector, which is its own',
  doesNotCover:
    'whether the plan came before anybody peeked, and when anything was committed; the bytes of the build, which are not in the bundle',
  codes: ['plan-malformed', 'plan-unpinned', 'execution-malformed'],
  scope: 'bundle',
  check(bundle: Bundle): CheckResult {
    return perItem(
      itemsOf(bundle),
      ({ file, snapshot }) => ({ ...nowhere, case: snapshot?.caseId ?? null, snapshot: snapshot?.name ?? null, file }),
      ({ judge }, say) => judge(say),
    );
  },
};

function itemsOf(bundle: Bundle): Item[] {
  const build = readBuild(bundle.tree.files);
  const whole = (file: string, judge: (bundle: Bundle, say: Say) => void): Item => ({
    file,
    snapshot: null,
    judge: (say) => judge(bundle, say),
  });
  return [
    whole('data/plan.json', planWrong),
    whole('data/execution.json', executionWrong),
    whole('data/build.json', (_bundle, say) => buildWrong(bundle, build, say)),
    // An exploratory run claims no commit; the verdict says so in its own member. What it keeps of one must be true all the same.
    whole('data/git', commitWrong),
    ...judgedSnapshots(bundle).flatMap((snapshot) => [
      ...snapshot.roles.map((role) => programOf(bundle, build, snapshot, role)),
      programOf(bundle, build, snapshot, 'inspector'),
    ]),
  ];
}

function planWrong({ plan, planBytes, execution }: Bundle, say: Say): void {
  if (plan.problem !== undefined) say('plan-malformed', plan.problem.detail);
  if (planBytes === undefined || execution.value === undefined) return;
  if (execution.value.plan.sha256 !== fileSha256(planBytes)) say('plan-unpinned', 'The execution record names another plan.');
}

function executionWrong({ execution, cases }: Bundle, say: Say): void {
  if (execution.problem !== undefined) return say('execution-malformed', execution.problem.detail);
  const { confirmatory, exploratory_reason: reason, selected = null } = execution.value;
  if (confirmatory !== (reason === null)) say('execution-malformed', 'A run is confirmatory, or exploratory with a reason.');
  if (selected === null) return;
  if (confirmatory) say('execution-malformed', 'A confirmatory run runs the whole plan.');
  const inPlan = cases.map(({ id }) => id).filter((id) => selected.includes(id));
  if (cases.length > 0 && inPlan.join('\n') !== selected.join('\n'))
    say('execution-malformed', 'The selected cases are not cases of the plan, each once and in its order.');
}

function buildWrong({ tree, execution }: Bundle, build: Read<Build>, say: Say): void {
  const record = execution.value?.build;
  if (record === undefined) return;
  const bytes = tree.files.get('data/build.json');
  if (bytes !== undefined && fileSha256(bytes) !== record.inventory_sha256)
    say('execution-malformed', 'The build inventory is not the recorded one.');
  if (build.problem !== undefined) return say('execution-malformed', build.problem.detail);
  const { key, source_sha256, files } = build.value;
  if (key !== record.key || source_sha256 !== record.source_sha256 || files.size !== record.files)
    say('execution-malformed', 'The build inventory is of other sources than the recorded ones.');
}

const gitFolder = 'data/git/';

function gitFiles(files: Bundle['tree']['files']): string[] {
  return [...files.keys()].filter((path) => path.startsWith(gitFolder));
}

function commitWrong({ tree, planBytes, execution }: Bundle, say: Say): void {
  const record = need(execution);
  if (planBytes === undefined) return;
  const { confirmatory, git, plan } = record;
  if (!confirmatory && plan.git_blob === null && gitFiles(tree.files).length === 0) return;
  if (git === null || plan.path === null || plan.git_blob === null)
    return say('plan-unpinned', 'A run that keeps a commit, and any confirmatory one, names it and the place of the plan.');
  if (confirmatory && (!git.clean_at_start || !git.clean_at_end)) say('plan-unpinned', 'The tree was not clean.');
  try {
    const found = follow(tree.files, git.commit, plan.path);
    if (found.tree !== git.tree) say('plan-unpinned', 'The commit has another tree than the recorded one.');
    if (found.id !== plan.git_blob) say('plan-unpinned', 'The commit holds another plan than the recorded one.');
    const stray = gitFiles(tree.files).find((path) => !found.objects.has(path.slice(gitFolder.length)));
    if (stray !== undefined) say('plan-unpinned', 'A git object does not lie on the way to the plan.', { file: stray });
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    say('plan-unpinned', error.message);
  }
  // An exploratory run may run a plan that was changed since.
  if (confirmatory && blobId(planBytes, plan.git_blob.length) !== plan.git_blob)
    say('plan-unpinned', 'The plan in the bundle is not the recorded blob.');
}

function programOf({ execution }: Bundle, build: Read<Build>, snapshot: Snapshot, who: RoleEvidence | 'inspector'): Item {
  const inspects = who === 'inspector';
  return {
    file: inspects ? snapshot.file('inspector.json') : who.file('process.json'),
    snapshot,
    judge(say) {
      const { argv } = need<{ argv: readonly string[] }>(inspects ? snapshot.inspector : who.process);
      // Without an inventory there is nothing to hold the program against; the item of the build says so.
      const role = inspects ? 'inspect' : snapshot.planned.role;
      const wrong = foreignProgram(argv, need(build), need(execution).confirmatory) ?? otherRole(argv, need(build), role);
      if (wrong !== null) say('execution-malformed', wrong);
    },
  };
}

/** A role program of the build is named after its role; how a subject of one's own divides its roles is its own affair. */
function otherRole(argv: readonly string[], { files }: Build, role: Process['role']): string | null {
  const program = argv.find((word) => files.has(word));
  return program === undefined || /(?:^|\/)([a-z]+)\.[cm]?js$/.exec(program)?.[1] === role
    ? null
    : 'The program is not that of the role.';
}

/** A subject of one's own is recorded with its place and not its path; only an exploratory run may have one. */
const isExternal = (word: string): boolean => /^<(?:subject|outside)>\//.test(word);

function foreignProgram(argv: readonly string[], { files }: Build, confirmatory: boolean): string | null {
  const [first = '', ...rest] = argv;
  const words = first === 'node' ? rest : argv;
  const program = words.find((word) => !word.startsWith('-'));
  if (program === undefined) return 'The record names no program.';
  if (files.has(program) && argv.join('\n') !== `node\n${program}`)
    return 'A program of the build ran otherwise than by Node alone, without options that may change what it does.';
  for (const word of words) {
    if (isExternal(word)) {
      if (confirmatory) return 'A confirmatory run ran a program from outside the recorded build.';
    } else if (/\.[cm]?js$/.test(word) || (word === program && (first === 'node' || confirmatory))) {
      if (!files.has(word)) return 'A program ran that is not a file of the recorded build.';
    }
  }
  return null;
}
