/** Breaks in the plan, the execution record, the list of cases and the controls. */
import { canonical } from '../read/canonical.js';
import type { Editor, Mutation } from './editor.js';
import { isLeaf, killedAt, naiveControl, resumed } from './places.js';

const confirmatory = (editor: Editor): boolean => editor.bundle.execution.value?.confirmatory === true;

export const planMutations = {
  'plan-malformed': [
    {
      name: 'a control names a case that is not planned',
      codes: ['plan-malformed'],
      apply: (editor) => (editor.plan((plan) => void plan.controls.no_kill.push('never-planned')), true),
    },
    {
      name: 'the plan has a member that no plan has',
      codes: ['plan-malformed'],
      apply: (editor) => (editor.plan((plan) => void Object.assign(plan, { lenient: true })), true),
    },
  ],
  'plan-unpinned': [
    {
      name: 'the plan changed after the run',
      codes: ['plan-unpinned'],
      apply: (editor) => (editor.text('data/plan.json', (text) => `${text}\n`), true),
    },
    {
      name: 'the tree was not clean at the end',
      codes: ['plan-unpinned'],
      apply(editor) {
        if (!confirmatory(editor)) {
          // An exploratory run claims no commit. One that calls itself confirmatory without any is the same lie.
          editor.execution((execution) => {
            execution.confirmatory = true;
            execution.exploratory_reason = null;
            execution.git = null;
          });
          return true;
        }
        editor.execution(({ git }) => void (git === null ? null : (git.clean_at_end = false)));
        return true;
      },
    },
  ],
  'execution-malformed': [
    {
      name: 'the execution record lacks its versions',
      codes: ['execution-malformed'],
      apply: (editor) => (editor.execution((execution) => void delete (execution as { versions?: unknown }).versions), true),
    },
    {
      name: 'the build inventory is another one',
      codes: ['execution-malformed'],
      apply: (editor) => (editor.text('data/build.json', (text) => `${text} `), true),
    },
  ],
  'case-missing': [
    {
      name: 'a planned case is not there',
      codes: ['case-missing'],
      apply: (editor) => drop(editor, (editor.find(({ caseId }) => !controls(editor).has(caseId)) ?? { caseId: '' }).caseId),
    },
    {
      name: 'a planned arm is not there',
      codes: ['case-missing'],
      apply(editor) {
        const arm = editor.find(
          (snapshot, bundle) => snapshot.base !== undefined && isLeaf(snapshot, bundle) && !controls(editor).has(snapshot.caseId),
        );
        return arm !== undefined && drop(editor, `${arm.caseId}/${arm.name}`);
      },
    },
  ],
  'case-unplanned': [
    {
      name: 'a case that nobody planned',
      codes: ['case-unplanned'],
      apply(editor) {
        const source = 'data/cases/';
        const [first] = editor.bundle.cases;
        if (first === undefined) return false;
        for (const [path, bytes] of [...editor.files]) {
          if (path.startsWith(`${source}${first.id}/`))
            editor.files.set(path.replace(`${source}${first.id}/`, `${source}never-planned/`), bytes);
        }
        return true;
      },
    },
  ],
  'record-malformed': [
    {
      name: 'a process record with a member of its own',
      codes: ['record-malformed'],
      apply: (editor) =>
        onResumed(editor, (path) => editor.json(path('process.json'), (value) => void Object.assign(value, { passed: true }))),
    },
    {
      name: 'an answer with a name repeated',
      codes: ['record-malformed'],
      apply: (editor) =>
        onResumed(editor, (path) => editor.text(path('answer.json'), (text) => text.replace('{', '{"detail":null,'))),
    },
    {
      name: 'a killed role that answered',
      codes: ['record-malformed'],
      apply(editor) {
        const killed = killedAt(editor);
        const answer = killed?.inspection.value;
        if (killed === undefined || answer === undefined || killed.process.value === undefined) return false;
        const { projections: _projections, events: _events, artifacts: _artifacts, ...rest } = answer;
        const forged = { ...rest, role: killed.planned.role, pid: killed.process.value.pid };
        editor.files.set(killed.file('answer.json'), Buffer.from(`${canonical(forged)}\n`));
        return true;
      },
    },
  ],
  'control-silent': [
    {
      name: 'the naive restart did not duplicate',
      codes: ['control-silent', 'prediction-failed'],
      apply(editor) {
        const control = naiveControl(editor);
        if (control === undefined) return false;
        editor.receipts(control, (lines) => {
          const settled = lines.filter((line) => line.kind === 'settled');
          const [first] = settled;
          for (const line of settled.slice(1)) {
            if (line.effect !== null && first?.effect != null) line.effect = { ...first.effect, replayed: true };
          }
        });
        return true;
      },
    },
  ],
  'prediction-failed': [
    {
      name: 'the plan predicts another outcome',
      codes: ['prediction-failed'],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.plan((plan) => {
          const arm = plan.cases.find(({ id }) => id === target.caseId)?.arms.find(({ id }) => id === target.name);
          if (arm !== undefined) arm.expect.outcome = 'undecided';
        });
        return true;
      },
    },
  ],
} satisfies Record<string, readonly Mutation[]>;

function controls(editor: Editor): Set<string> {
  const { no_kill = [], naive_restart = [] } = editor.bundle.plan.value?.controls ?? {};
  return new Set([...no_kill, ...naive_restart.map((control) => control.case)]);
}

function drop(editor: Editor, folder: string): boolean {
  const paths = [...editor.files.keys()].filter((path) => path.startsWith(`data/cases/${folder}/`));
  for (const path of paths) editor.files.delete(path);
  return folder !== '' && paths.length > 0;
}

function onResumed(editor: Editor, change: (path: (name: string) => string) => void): boolean {
  const target = resumed(editor);
  if (target === undefined) return false;
  change((name) => target.file(name));
  return true;
}
