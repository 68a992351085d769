/** The documents that are facts of the harness, and the answers of roles; what an inspector exports in its answer is none of them. */
import type { Answer, Process } from '../../../contract/types.js';
import type { Json } from '../../../read/canonical.js';
import type { At } from '../fields.js';
import type { Good } from '../operator.js';
import { traitsOfRole, traitsOfSnapshot } from '../traits.js';
import type { Document } from './json.js';

export function documentsOf({ bundle, snapshots }: Good): Document[] {
  const whole = bundle.cases.map(({ id, snapshots: { length } }) => ({
    document: 'case.json',
    schema: 'case',
    file: `data/cases/${id}/case.json`,
    traits: [length > 1 ? 'arms' : 'no arms'],
  }));
  const modelName = bundle.plan.value?.model ?? 'calls/v1';
  return [
    { document: 'execution.json', schema: 'execution', file: 'data/execution.json', traits: [modelName] },
    ...whole,
    ...snapshots.flatMap((snapshot): Document[] => {
      const traits = traitsOfSnapshot(bundle, snapshot);
      const own = (name: string): Document[] => {
        const file = snapshot.file(name);
        return bundle.tree.files.has(file) ? [{ document: name, schema: name.replace('.json', ''), file, traits }] : [];
      };
      const ofRoles = snapshot.roles.flatMap((role): Document[] => {
        const all = [...traits, ...traitsOfRole(snapshot, role)];
        const process = {
          document: 'process.json',
          schema: 'process',
          file: role.file('process.json'),
          traits: all,
          traitsAt: momentAt,
        };
        const answer = {
          ...{ document: 'answer.json', schema: 'answer', file: role.file('answer.json') },
          traits: [...all, ...openedBy(role.has('answer.json') ? role.answer.value : undefined)],
        };
        return role.has('answer.json') ? [process, answer] : [process];
      });
      const inspection = {
        document: 'inspection.json',
        schema: 'answer',
        file: snapshot.file('inspection.json'),
        traits: [...traits, ...openedBy(snapshot.inspection.value)],
      };
      return [...ofRoles, ...own('inspector.json'), inspection, ...own('group.json'), ...own('derivation.json')];
    }),
  ];
}

/** Whether it met a ledger at all. */
function openedBy(answer: Answer | undefined): string[] {
  return answer?.settings.journal_mode === 'unopened' ? ['unopened'] : [];
}

/** A moment of a timeline is told by what was seen. */
function momentAt([member, index]: At, value: Json): string[] {
  if (member !== 'timeline' || typeof index !== 'number') return [];
  const { what } = (value as unknown as Process).timeline[index] ?? {};
  return what === undefined ? [] : [`at:${what}`];
}
