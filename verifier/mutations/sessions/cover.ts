/** What else must agree where an input was changed: the scenario that asked for it. */
import type { Snapshot } from '../../read/bundle.js';
import type { Editor } from '../editor.js';

type Action = Record<string, unknown>;

/** The plan gives the case a scenario whose actions are other ones, and everybody was given it. */
export function rescript(editor: Editor, target: Snapshot, change: (action: Action) => void): void {
  editor.plan((plan) => {
    const planned = plan.cases.find(({ id }) => id === target.caseId);
    if (planned === undefined) return;
    const another = structuredClone(plan.scenarios[planned.scenario]) as unknown as Record<string, Action[]>;
    for (const action of [...(another.script ?? []), ...(another.during ?? [])]) change(action);
    Object.assign(plan.scenarios, { another });
    planned.scenario = 'another';
  });
}
