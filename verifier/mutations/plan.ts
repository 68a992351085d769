/** Breaks in the plan, the execution record, the list of cases, the controls and the inputs. */
import type { FindingCode } from '../checks/check.js';
import { canonical } from '../read/canonical.js';
import { fileSha256 } from '../read/hash.js';
import type { Editor, Line, Mutation } from './editor.js';
import {
  droppedRequest,
  expectation,
  isControl,
  isLeaf,
  killedAt,
  naiveControl,
  onBundle,
  onPlace,
  type Families,
  type Place,
} from './places.js';

function onExecution(name: string, codes: readonly FindingCode[], change: Parameters<Editor['execution']>[0]): Mutation {
  return onBundle(name, codes, (editor) => editor.execution(change));
}

const malformed = ['execution-malformed'] as const;
type Effect = NonNullable<Extract<Line, { kind: 'settled' }>['effect']>;

export const planMutations = (completed: Place) =>
  ({
    'plan-malformed': [
      onBundle('a control names a case that is not planned', ['plan-malformed'], (editor) =>
        editor.plan((plan) => void plan.controls.no_kill.push('never-planned')),
      ),
      onBundle('the plan has a member that no plan has', ['plan-malformed'], (editor) =>
        editor.plan((plan) => void Object.assign(plan, { lenient: true })),
      ),
    ],
    'plan-unpinned': [
      onBundle('a git object that leads nowhere', ['plan-unpinned'], (editor) =>
        editor.files.set(`data/git/${'a'.repeat(40)}`, Buffer.from('blob 0\0')),
      ),
      onBundle('the plan changed after the run', ['plan-unpinned'], (editor) =>
        editor.text('data/plan.json', (text) => `${text}\n`),
      ),
      onExecution('the tree was not clean at the end', ['plan-unpinned'], (execution) => {
        if (execution.confirmatory && execution.git !== null) {
          execution.git.clean_at_end = false;
          return;
        }
        // An exploratory run claims no commit. One that calls itself confirmatory without any is the same lie.
        Object.assign(execution, { confirmatory: true, exploratory_reason: null, git: null, selected: null });
      }),
    ],
    'execution-malformed': [
      onPlace(completed, 'a resume ran the program of a restart', malformed, (editor, target) =>
        editor.process(target, (value) => {
          value.argv = value.argv.map((word) => word.replace('resume', 'restart'));
        }),
      ),
      onPlace(completed, 'an inspector ran the program of a resume', malformed, (editor, target) =>
        editor.inspector(target, (value) => {
          value.argv = value.argv.map((word) => word.replace('inspect', 'resume'));
        }),
      ),
      onExecution('the execution record lacks its versions', malformed, (execution) => {
        delete (execution as { versions?: unknown }).versions;
      }),
      onBundle('a case was selected that is not planned', malformed, (editor) =>
        select(editor, [...editor.bundle.cases.map(({ id }) => id), 'never-planned']),
      ),
      onBundle('the build inventory is another one', malformed, (editor) => editor.text('data/build.json', (text) => `${text} `)),
      onBundle('the build inventory is of other sources', malformed, (editor) =>
        forgeBuild(editor, { source_sha256: 'f'.repeat(64) }),
      ),
      onBundle('the build inventory is no inventory', malformed, (editor) => forgeBuild(editor, { passed: true })),
      onPlace(completed, 'a role ran a program that is not in the build', malformed, (editor, target) =>
        editor.process(target, (value) => void (value.argv = ['node', 'runtime/subjects/other.js'])),
      ),
      onPlace(completed, 'an inspector loaded a module that is not in the build', malformed, (editor, target) =>
        editor.inspector(target, ({ argv }) => void argv.splice(1, 0, '--import', 'other.mjs')),
      ),
    ],
    'case-missing': [
      onPlace(withoutControl, 'a planned case is not there', ['case-missing'], (editor, target) => drop(editor, target.caseId)),
      onPlace(
        (editor) =>
          editor.find((one, bundle) => one.base !== undefined && isLeaf(one, bundle) && !ofControl(editor).has(one.caseId)),
        'a planned arm is not there',
        ['case-missing'],
        (editor, target) => drop(editor, `${target.caseId}/${target.name}`),
      ),
    ],
    'case-unplanned': [
      onBundle('a case that nobody planned', ['case-unplanned'], (editor) => {
        const source = `data/cases/${editor.bundle.cases[0]?.id ?? ''}/`;
        for (const [path, bytes] of [...editor.files])
          if (path.startsWith(source)) editor.files.set(path.replace(source, 'data/cases/never-planned/'), bytes);
      }),
      onPlace(withoutControl, 'a case ran that was not selected', ['case-unplanned'], (editor, target) => {
        const others = editor.bundle.cases.map(({ id }) => id).filter((id) => id !== target.caseId);
        select(editor, others);
      }),
    ],
    'record-malformed': [
      onPlace(completed, 'a resume exported what only an inspector exports', ['record-malformed'], (editor, target) =>
        editor.answer(target, (value) => void (value.events = [])),
      ),
      onPlace(completed, 'an inspector answered a call from the ledger', ['record-malformed'], (editor, target) =>
        editor.inspection(target, (value) => void (value.replayed = true)),
      ),
      onPlace(completed, 'a role completed with a refusal', ['record-malformed'], (editor, target) => {
        const refusal = { call_id: null, drift: [], error: 'ResumeRefused' as const, hazard: null, operation: null };
        editor.answer(target, (value) => void (value.refusal = refusal));
      }),
      onPlace(completed, 'a process record with a member of its own', ['record-malformed'], (editor, target) =>
        editor.process(target, (value) => void Object.assign(value, { passed: true })),
      ),
      onPlace(completed, 'an answer with a name repeated', ['record-malformed'], (editor, target) =>
        editor.text(target.file('answer.json'), (text) => text.replace('{', '{"detail":null,')),
      ),
      onPlace(killedAt(), 'a killed role that answered', ['record-malformed'], (editor, target) => {
        const [answer, process] = [target.inspection.value, target.process.value];
        if (answer === undefined || process === undefined) return false;
        const { projections: _projections, events: _events, artifacts: _artifacts, ...rest } = answer;
        const forged = { ...rest, role: target.planned.role, pid: process.pid };
        editor.files.set(target.file('answer.json'), Buffer.from(`${canonical(forged)}\n`));
        return true;
      }),
    ],
    'control-silent': [
      onPlace(
        naiveControl,
        'the naive restart did not duplicate',
        ['control-silent', 'prediction-failed', 'script-departed'],
        (editor, target) =>
          editor.receipts(target, (lines) => {
            const received = lines.filter((line) => line.kind === 'received');
            const keys = new Map(received.map((line) => [line.request, line.idempotency_key]));
            const firsts = new Map<unknown, Effect>();
            for (const line of lines) {
              if (line.kind !== 'settled' || line.effect === null) continue;
              const first = firsts.get(keys.get(line.request));
              line.effect =
                first === undefined ? { ...line.effect, effect_id: `effect-${firsts.size + 1}` } : { ...first, replayed: true };
              if (first === undefined) firsts.set(keys.get(line.request), line.effect);
            }
          }),
      ),
    ],
    'prediction-failed': [
      onPlace(completed, 'the plan predicts another outcome', ['prediction-failed'], (editor, target) =>
        expectation(editor, target, (expect) => void (expect.outcome = 'undecided')),
      ),
    ],
    'scenario-unplanned': [
      onPlace(completed, 'a role was given another scenario', ['scenario-unplanned'], (editor, target) =>
        editor.process(target, (value) => void (value.scenario_sha256 = '0'.repeat(64))),
      ),
      onPlace(completed, 'the provider was given another script', ['scenario-unplanned'], (editor, target) =>
        editor.process(target, (value) => void (value.script_sha256 = '0'.repeat(64))),
      ),
    ],
    'script-departed': [
      onPlace(droppedRequest, 'a request was cut that its script drops', ['script-departed'], (editor, target) =>
        editor.receipts(target, (lines) => {
          for (const line of lines) if (line.kind === 'settled' && line.ended === 'dropped') line.ended = 'reset';
        }),
      ),
      onPlace(completed, 'an effect of another name than the endpoint', ['script-departed'], (editor, target) =>
        editor.receipts(target, (lines) => {
          const last = lines.findLast((line) => line.kind === 'settled' && line.effect !== null);
          if (last?.kind === 'settled' && last.effect !== null) last.effect.name = 'another';
        }),
      ),
    ],
  }) satisfies Families;

/** Only an exploratory run selects. */
function select(editor: Editor, selected: string[]): void {
  editor.execution((value) => void Object.assign(value, { confirmatory: false, exploratory_reason: 'chosen cases', selected }));
}

function forgeBuild(editor: Editor, members: object): void {
  editor.json<object>('data/build.json', (build) => void Object.assign(build, members));
  editor.execution(({ build }) => void (build.inventory_sha256 = fileSha256(editor.bytes('data/build.json'))));
}

function withoutControl(editor: Editor) {
  const controls = ofControl(editor);
  return editor.find(({ caseId }) => !controls.has(caseId));
}

/** Cases with a control: without them G4 would have nothing to judge. */
function ofControl({ bundle }: Editor): Set<string> {
  const snapshots = bundle.cases.flatMap((one) => one.snapshots);
  return new Set(snapshots.filter((snapshot) => isControl(snapshot, bundle)).map(({ caseId }) => caseId));
}

function drop(editor: Editor, folder: string): boolean {
  const paths = [...editor.files.keys()].filter((path) => path.startsWith(`data/cases/${folder}/`));
  for (const path of paths) editor.files.delete(path);
  return paths.length > 0;
}
