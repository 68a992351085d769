/** Breaks in what inspectors and roles told. */
import type { FindingCode } from '../checks/check.js';
import type { Snapshot } from '../read/bundle.js';
import type { Editor, Mutation } from './editor.js';
import { resumed } from './places.js';

function onResumed(name: string, code: FindingCode, change: (editor: Editor, target: Snapshot) => void): Mutation {
  return {
    name,
    codes: [code],
    apply(editor) {
      const target = resumed(editor);
      if (target === undefined) return false;
      change(editor, target);
      return true;
    },
  };
}

export const inspectionMutations = {
  'export-mismatch': [
    onResumed('an exported event differs from the stored one', 'export-mismatch', (editor, target) =>
      editor.inspection(
        target,
        ({ events: [first] = [] }) => void (first === undefined ? null : (first.recorded_at = '2000-01-01T00:00:00.000Z')),
      ),
    ),
    onResumed('the export lacks its last event', 'export-mismatch', (editor, target) =>
      editor.inspection(target, ({ events }) => void events?.pop()),
    ),
    onResumed('the export lacks an artifact', 'export-mismatch', (editor, target) =>
      editor.inspection(target, ({ artifacts }) => void artifacts?.pop()),
    ),
  ],
  'state-mismatch': [
    onResumed('an inspector\u2019s state altered', 'state-mismatch', (editor, target) =>
      editor.inspection(target, ({ projections: [first] = [] }) => {
        const call = first?.calls[0];
        if (call !== undefined) call.stage = call.stage === 'observed' ? 'interpreted' : 'observed';
      }),
    ),
    onResumed('a task was not projected', 'state-mismatch', (editor, target) =>
      editor.inspection(target, ({ projections }) => void projections?.pop()),
    ),
  ],
  'egress-unexpected': [
    {
      name: 'the planted reach was not refused',
      codes: ['egress-unexpected', 'prediction-failed'],
      apply(editor) {
        const target = editor.find(({ planned }) => (planned.expect.egress_refused ?? 0) > 0 && planned.kill === null);
        if (target === undefined) return false;
        editor.answer(target, ({ egress }) => void (egress.refused = []));
        return true;
      },
    },
    onResumed('a role dialled elsewhere', 'egress-unexpected', (editor, target) =>
      editor.answer(target, ({ egress }) => void egress.refused.push({ host: 'example.org', port: 443 })),
    ),
    onResumed('an inspector dialled elsewhere', 'egress-unexpected', (editor, target) =>
      editor.inspection(target, ({ egress }) => void egress.refused.push({ host: 'example.org', port: 443 })),
    ),
  ],
  'settings-weak': [
    onResumed('the ledger was synchronised less than fully', 'settings-weak', (editor, target) =>
      editor.answer(target, ({ settings }) => void (settings.synchronous = 1)),
    ),
    onResumed('the ledger was not in write-ahead mode', 'settings-weak', (editor, target) =>
      editor.answer(target, ({ settings }) => void (settings.journal_mode = 'delete')),
    ),
    onResumed('an inspector ran a SQLite with the WAL-reset defect', 'settings-weak', (editor, target) =>
      editor.inspection(target, ({ settings }) => void (settings.sqlite = '3.40.1')),
    ),
  ],
} satisfies Record<string, readonly Mutation[]>;
