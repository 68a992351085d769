/**
 * G2: The plan in the bundle is a valid plan, is the one that the execution record names, and, in a confirmatory run, lies in the
 * named commit, from a clean tree, run by the recorded build.
 * Verified: shape and names of the plan; its hash; the chain of git objects from commit to blob; the inventory of the build.
 * Not verified: that the plan came before anybody peeked, and when anything was committed: a commit carries any date.
 */
import { EvidenceError } from '../errors.js';
import type { Bundle } from '../read/bundle.js';
import { fileSha256 } from '../read/hash.js';
import { blobId, follow } from '../read/git-objects.js';
import { nowhere, perItem, type BundleCheck, type CheckResult, type Say } from './check.js';

type Item = 'plan' | 'execution' | 'commit' | 'build';

export const g02: BundleCheck = {
  guarantee: 'G2',
  sentence:
    'The plan in the bundle is a valid plan, is the one that the execution record names, and, in a confirmatory run, lies in the named commit, from a clean tree, run by the recorded build.',
  covers: 'shape and names of the plan, its hash, the git objects from the commit to the plan, the inventory of the build',
  doesNotCover: 'whether the plan came before anybody peeked, and when anything was committed',
  codes: ['plan-malformed', 'plan-unpinned', 'execution-malformed'],
  scope: 'bundle',
  check(bundle: Bundle): CheckResult {
    const items: Item[] = ['plan', 'execution', 'build', 'commit'];
    const files: Record<Item, string> = {
      plan: 'data/plan.json',
      execution: 'data/execution.json',
      build: 'data/build.json',
      commit: 'data/git',
    };
    return perItem(
      items,
      (item) => ({ ...nowhere, file: files[item] }),
      (item, say) => judge[item](bundle, say),
    );
  },
};

const judge: Record<Item, (bundle: Bundle, say: Say) => void> = {
  plan({ plan, planBytes, execution }, say) {
    if (plan.problem !== undefined) say('plan-malformed', plan.problem.detail);
    if (planBytes === undefined || execution.value === undefined) return;
    if (execution.value.plan.sha256 !== fileSha256(planBytes)) say('plan-unpinned', 'The execution record names another plan.');
  },
  execution({ execution }, say) {
    if (execution.problem !== undefined) return say('execution-malformed', execution.problem.detail);
    const { confirmatory, exploratory_reason: reason } = execution.value;
    if (confirmatory !== (reason === null)) say('execution-malformed', 'A run is confirmatory, or exploratory with a reason.');
  },
  build({ tree, execution }, say) {
    const bytes = tree.files.get('data/build.json');
    if (execution.value === undefined) return;
    if (bytes === undefined) return say('execution-malformed', 'The inventory of the build is not there.');
    if (fileSha256(bytes) !== execution.value.build.inventory_sha256)
      say('execution-malformed', 'The build inventory is not the recorded one.');
  },
  commit({ tree, planBytes, execution }, say) {
    const record = execution.value;
    // An exploratory run claims no commit; the verdict says so in its own member.
    if (record === undefined || planBytes === undefined || !record.confirmatory) return;
    const { git, plan } = record;
    if (git === null || plan.path === null || plan.git_blob === null)
      return say('plan-unpinned', 'A confirmatory run names its commit and the place of the plan.');
    if (!git.clean_at_start || !git.clean_at_end) say('plan-unpinned', 'The tree was not clean.');
    try {
      const found = follow(tree.files, git.commit, plan.path);
      if (found.tree !== git.tree) say('plan-unpinned', 'The commit has another tree than the recorded one.');
      if (found.id !== plan.git_blob) say('plan-unpinned', 'The commit holds another plan than the recorded one.');
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      say('plan-unpinned', error.message);
    }
    if (blobId(planBytes, plan.git_blob.length) !== plan.git_blob)
      say('plan-unpinned', 'The plan in the bundle is not the recorded blob.');
  },
};
