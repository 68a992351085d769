import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Editor } from '../mutations/editor.js';
import { blobId } from '../read/git-objects.js';
import { changed } from '../testing/match.js';
import { verify } from '../verdict.js';

const path = 'preregistrations/small.json';

function add(editor: Editor, kind: 'commit' | 'tree', content: Buffer): string {
  const raw = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const id = createHash('sha1').update(raw).digest('hex');
  editor.files.set(`data/git/${id}`, raw);
  return id;
}

const entry = (mode: string, name: string, id: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);

/** Makes the good bundle a confirmatory one: its plan lies in a commit, and the way there is in the bundle. */
function confirm(editor: Editor): { tree: string } {
  const blob = blobId(editor.bytes('data/plan.json'), 40);
  const folder = add(editor, 'tree', entry('100644', 'small.json', blob));
  const tree = add(editor, 'tree', entry('40000', 'preregistrations', folder));
  const commit = add(
    editor,
    'commit',
    Buffer.from(`tree ${tree}\nauthor a <a@example.org> 0 +0000\ncommitter a <a@example.org> 0 +0000\n\nplan\n`),
  );
  editor.execution((value) => {
    value.confirmatory = true;
    value.exploratory_reason = null;
    value.git = { commit, tree, clean_at_start: true, clean_at_end: true };
    value.plan.path = path;
    value.plan.git_blob = blob;
  });
  return { tree };
}

const codes = (change: (editor: Editor) => void): string[] => {
  const { verdict } = verify(
    changed((editor) => {
      confirm(editor);
      change(editor);
    }),
  );
  return [...new Set(verdict.findings.map(({ code }) => code))];
};

describe('G2, a confirmatory run', () => {
  it('is proved by the objects from its commit to its plan', () => {
    const { verdict } = verify(changed(confirm));
    expect(verdict).toMatchObject({ verdict: 'valid', confirmatory: true, findings: [] });
  });

  it.each<[string, (editor: Editor) => void]>([
    ['the plan was changed and the record with it', (editor) => forgePlan(editor)],
    [
      'the tree was dirty at the start',
      (editor) => editor.execution(({ git }) => void (git !== null && (git.clean_at_start = false))),
    ],
    ['the record names another blob', (editor) => editor.execution((value) => void (value.plan.git_blob = '0'.repeat(40)))],
    [
      'the record names another tree',
      (editor) => editor.execution(({ git }) => void (git !== null && (git.tree = '0'.repeat(40)))),
    ],
    [
      'the record names another place',
      (editor) => editor.execution((value) => void (value.plan.path = 'preregistrations/other.json')),
    ],
    ['the record names no commit', (editor) => editor.execution((value) => void (value.git = null))],
    [
      'the objects are not there',
      (editor) =>
        [...editor.files.keys()].filter((file) => file.startsWith('data/git/')).forEach((file) => editor.files.delete(file)),
    ],
    ['an object was altered', (editor) => editor.files.set(`data/git/${confirm(editor).tree}`, Buffer.from('tree 0\0'))],
  ])('is not proved when %s', (_what, change) => expect(codes(change)).toEqual(['plan-unpinned']));

  it('cannot also be exploratory', () => {
    expect(codes((editor) => editor.execution((value) => void (value.exploratory_reason = 'both')))).toEqual([
      'execution-malformed',
    ]);
  });
});

/** What no re-pinning inside the bundle covers: the commit holds the plan that was. */
function forgePlan(editor: Editor): void {
  editor.json<{ title: string }>('data/plan.json', (plan) => void (plan.title = 'Another title'));
  editor.execution((value) => {
    value.plan.sha256 = createHash('sha256').update(editor.bytes('data/plan.json')).digest('hex');
    value.plan.git_blob = blobId(editor.bytes('data/plan.json'), 40);
  });
}
