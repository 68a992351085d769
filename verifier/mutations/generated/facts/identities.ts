/** Names of processes and nonces forged: that of another process, or a new one in every place where a forger can write it. */
import type { Answer, CheckpointLine, Process } from '../../../contract/types.js';
import type { RoleEvidence } from '../../../read/role.js';
import type { Snapshot } from '../../../read/bundle.js';
import { canonical } from '../../../read/canonical.js';
import type { Editor, Mutable } from '../../editor.js';
import { shuffled } from '../choose.js';
import type { Good, Operator, Site } from '../operator.js';
import { traitsOfRole, traitsOfSnapshot } from '../traits.js';
import { linesOf, putLines } from './lines.js';

type Who = readonly [snapshot: Snapshot, role: RoleEvidence];

function* identitySites(good: Good): Generator<Site> {
  const { bundle, snapshots } = good;
  const all = snapshots.flatMap((snapshot) => snapshot.roles.map((role): Who => [snapshot, role]));
  const roles = shuffled(all, 'identities', ([, role]) => role.file(''));
  for (const [index, [snapshot, role]] of roles.entries()) {
    const traits = [...traitsOfSnapshot(bundle, snapshot), ...traitsOfRole(snapshot, role)];
    const [, other] = roles[(index + 1) % roles.length] ?? [];
    const own = role.process.value;
    const theirs = other?.process.value;
    if (own === undefined || theirs === undefined || other === role) continue;
    const site = (operator: string, field: string, change: (editor: Editor) => void): Site => ({
      ...{ operator, document: 'process.json', field, traits, place: role.file('process.json'), apply: change },
    });
    yield site('that of another process, in step', 'pid', (editor) => {
      renamed(editor, role, theirs.pid);
      editor.member(role, (value) => void (value.start_time_ticks = theirs.start_time_ticks));
    });
    yield site('that of another process, in step', 'nonce', (editor) => announced(editor, role, { nonce: theirs.nonce }));
    yield site('another one, in step', 'nonce', (editor) =>
      announced(editor, role, { nonce: '0123456789abcdef0123456789abcdef' }),
    );
    const { armed } = own;
    if (role.has('checkpoint.jsonl') && armed !== null) {
      yield site('another place, in step', 'armed', (editor) => {
        editor.member(role, (value) => void (value.armed = `${armed}0`));
        eachLine(editor, role, (line) => void (line.occurrence *= 10));
      });
    }
    yield site('the other way of ending', 'exit', (editor) => editor.member(role, endedOtherwise));
  }
  for (const snapshot of shuffled(snapshots, 'inspectors', ({ caseId, name }) => `${caseId}/${name}`)) {
    const own = snapshot.inspector.value;
    if (own === undefined) continue;
    const traits = traitsOfSnapshot(bundle, snapshot);
    const acted = snapshot.roles[0]?.process.value;
    const site = (operator: string, pid: number, ticks: string): Site => ({
      ...{ operator, document: 'inspector.json', field: 'pid', traits, place: snapshot.file('inspector.json') },
      apply(editor) {
        editor.inspector(snapshot, (value) => void Object.assign(value, { pid, start_time_ticks: ticks }));
        editor.inspection(snapshot, (value) => void (value.pid = pid));
      },
    });
    if (acted !== undefined) yield site('that of the role, in step', acted.pid, acted.start_time_ticks);
    yield site('another one, in step', own.pid + 1_000_000, own.start_time_ticks);
  }
}

function renamed(editor: Editor, role: RoleEvidence, pid: number): void {
  editor.member(role, (value) => void Object.assign(value, { pid, pgid: pid }));
  if (role.has('answer.json')) editor.memberAnswer(role, (value: Mutable<Answer>) => void (value.pid = pid));
  eachLine(editor, role, (line) => void (line.pid = pid));
}

function announced(editor: Editor, role: RoleEvidence, { nonce }: { nonce: string }): void {
  editor.member(role, (value) => void (value.nonce = nonce));
  eachLine(editor, role, (line) => void (line.nonce = nonce));
}

function eachLine(editor: Editor, role: RoleEvidence, change: (line: Mutable<CheckpointLine>) => void): void {
  if (!role.has('checkpoint.jsonl')) return;
  const file = role.file('checkpoint.jsonl');
  const lines = linesOf(editor.files.get(file)).map((text) => {
    const line = JSON.parse(text) as Mutable<CheckpointLine>;
    change(line);
    return canonical(line);
  });
  putLines(file)(editor, lines);
}

/** Who was killed is said to have ended by itself, and the reverse; the moments go along. */
function endedOtherwise(value: Mutable<Process>): void {
  const wasKilled = value.exit.signal === 'SIGKILL';
  value.exit = wasKilled ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' };
  if (wasKilled) value.timeline = value.timeline.filter(({ what }) => what !== 'sigkill_sent');
}

export const identityOperators: readonly Operator[] = [{ name: 'identities', sites: identitySites }];
