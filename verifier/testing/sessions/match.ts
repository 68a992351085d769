/** Negative tests over the small sessions. */
import { changeFrames, coverAll, renderAgain, type Forged } from '../../mutations/sessions/edits.js';
import type { Editor } from '../../mutations/editor.js';
import { against, snapshot } from '../match.js';
import { goodSessions } from './bundle.js';

export const { broken, changed, judged, codesOf, expectFindings } = against(goodSessions);

/** Changes the frames of a snapshot, and makes everything else agree with them. */
export const onFrames =
  (caseId: string, name: string, change: (frames: Forged[]) => Forged[] | void) =>
  (editor: Editor): void => {
    const target = snapshot(editor, caseId, name);
    changeFrames(editor, target, change);
    renderAgain(editor, target);
    coverAll(editor, target);
  };

/** The same with the payload of the last frame of a type. */
export const onLast = (caseId: string, name: string, type: string, change: (payload: Forged['payload'], frame: Forged) => void) =>
  onFrames(caseId, name, (frames) => {
    const frame = frames.findLast((one) => one.type === type);
    if (frame === undefined) throw new Error(`The good sessions have no ${type} in ${caseId}/${name}.`);
    change(frame.payload, frame);
  });

/** Changes the receipts of a snapshot, and lets the plan predict what is there. */
export const onReceipts =
  (caseId: string, name: string, change: Parameters<Editor['receipts']>[1]) =>
  (editor: Editor): void => {
    const target = snapshot(editor, caseId, name);
    editor.receipts(target, change);
    coverAll(editor, target);
  };
