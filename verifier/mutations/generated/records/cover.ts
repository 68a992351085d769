/** What is told of a state folder by those who looked at it, made to agree with it. */
import type { Group, Inspector, Process } from '../../../contract/types.js';
import type { Snapshot } from '../../../read/bundle.js';
import type { StateEvidence, StateFile } from '../../../read/state.js';
import type { Editor, Mutable } from '../../editor.js';

/** Makes every inventory of a folder say that these files lie there. */
export function coverListed(editor: Editor, snapshot: Snapshot, state: StateEvidence, files: readonly StateFile[]): void {
  const list = (value: Mutable<Pick<Process | Group, 'live_inventory'>>): void => void (value.live_inventory = [...files]);
  const [owner] = snapshot.roles;
  if (state !== snapshot.state) {
    // Nobody inspects a folder that was moved away; its owner's record lists it.
    if (owner !== undefined) editor.json<Process>(owner.file('process.json'), list);
    return;
  }
  if (snapshot.group === undefined) editor.json<Process>(snapshot.file('process.json'), list);
  else editor.json<Group>(snapshot.file('group.json'), list);
  editor.json<Inspector>(snapshot.file('inspector.json'), (value) => {
    value.before = [...files];
    value.after = [...files];
  });
}
