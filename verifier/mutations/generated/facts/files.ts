/** Files, snapshots and cases taken away, put in each other's place, emptied, cut and added to; the bag lists what is then there. */
import { groupBy } from '../../../model/effects.js';
import { canonical } from '../../../read/canonical.js';
import type { Editor } from '../../editor.js';
import { shuffled } from '../choose.js';
import type { Good, Operator, Site } from '../operator.js';

interface Known {
  readonly path: string;
  readonly kind: string;
  readonly caseId: string | null;
  readonly snapshot: string | null;
}

/** The files that the layout names, one kind for each name; what lies in a state folder is a record. */
function knownFiles({ tree }: Good): Known[] {
  return [...tree.files.keys()].flatMap((path): Known[] => {
    if (!path.startsWith('data/')) return [];
    const [, , caseId, snapshot] = /^data\/(cases\/([^/]+)\/(?:([^/]+)\/)?)?/.exec(path) ?? [];
    const kind = path.startsWith('data/git/') ? 'git object' : path.slice(path.lastIndexOf('/') + 1);
    if (/\/state\//.test(path)) return [{ path, kind: `state/${kind}`, caseId: caseId ?? null, snapshot: snapshot ?? null }];
    return [{ path, kind, caseId: caseId ?? null, snapshot: snapshot ?? null }];
  });
}

/** Of each kind so many are tried. */
const tried = 12;

function* fileSites(good: Good): Generator<Site> {
  const files = shuffled(knownFiles(good), 'files', ({ path }) => path);
  const kinds = groupBy(files, ({ kind }) => kind);
  for (const [kind, list] of kinds) {
    for (const one of list.slice(0, tried)) {
      const traits = traitsOf(good, one);
      const bytes = good.tree.files.get(one.path) ?? Buffer.alloc(0);
      const site = (operator: string, place: string, apply: (editor: Editor) => void): Site => ({
        ...{ operator, document: kind.startsWith('state/') ? 'state file' : kind, field: '(file)', place, traits, apply },
      });
      const put = (operator: string, content: Buffer): Site =>
        site(operator, one.path, (editor) => void editor.files.set(one.path, content));
      yield site('removed', one.path, (editor) => void editor.files.delete(one.path));
      yield put('emptied', Buffer.alloc(0));
      if (bytes.length > 0) yield put('last byte cut', bytes.subarray(0, -1));
      yield put('half', bytes.subarray(0, Math.floor(bytes.length / 2)));
      yield put('byte appended', Buffer.concat([bytes, Buffer.from('\n')]));
      const far = list.find(({ caseId }) => caseId !== null && caseId !== one.caseId);
      const near = list.find(({ caseId, snapshot }) => caseId === one.caseId && snapshot !== null && snapshot !== one.snapshot);
      if (far !== undefined)
        yield site('swapped between cases', `${one.path} and ${far.path}`, (editor) => exchange(editor, one.path, far.path));
      if (near !== undefined)
        yield site('swapped between snapshots', `${one.path} and ${near.path}`, (editor) =>
          exchange(editor, one.path, near.path),
        );
    }
  }
}

function traitsOf({ snapshots, bundle }: Good, { path, caseId, snapshot }: Known): string[] {
  const found = snapshots.find((one) => one.caseId === caseId && one.name === snapshot);
  const model = bundle.plan.value?.model ?? 'calls/v1';
  if (found === undefined) return [model];
  const { planned, state } = found;
  return [
    model,
    planned.role,
    ...(path.includes('/members/') ? ['member'] : []),
    ...(planned.kill === null ? ['ended'] : ['killed']),
    ...(planned.traced === null ? [] : ['traced']),
    ...(planned.traced?.fault ? ['faulted'] : []),
    ...(found.loss === undefined ? [] : ['power-loss']),
    ...(state.unfinished ? ['unfinished'] : []),
  ];
}

function exchange(editor: Editor, one: string, other: string): void {
  const [first, second] = [editor.bytes(one), editor.bytes(other)];
  editor.files.set(one, second);
  editor.files.set(other, first);
}

/** All files below one folder are those below another, and the reverse. */
function exchangeFolders(editor: Editor, one: string, other: string): void {
  const below = (folder: string): [string, Buffer][] =>
    [...editor.files].filter(([path]) => path.startsWith(folder)).map(([path, bytes]) => [path.slice(folder.length), bytes]);
  const [first, second] = [below(one), below(other)];
  for (const [name] of first) editor.files.delete(one + name);
  for (const [name] of second) editor.files.delete(other + name);
  for (const [name, bytes] of second) editor.files.set(one + name, bytes);
  for (const [name, bytes] of first) editor.files.set(other + name, bytes);
}

function* folderSites({ bundle }: Good): Generator<Site> {
  const cases = bundle.cases;
  for (const [index, { id, snapshots, planned }] of cases.entries()) {
    const folder = `data/cases/${id}/`;
    const next = cases[(index + 1) % cases.length];
    const [first, second] = snapshots.slice(-2);
    const areAlike = next !== undefined && meaningOf(planned) === meaningOf(next.planned);
    const armsAreAlike = first !== undefined && second !== undefined && meaningOf(first.planned) === meaningOf(second.planned);
    const alike = [...(areAlike ? ['alike'] : []), ...(armsAreAlike ? ['arms-alike'] : [])];
    const site = (operator: string, field: string, place: string, apply: (editor: Editor) => void): Site => ({
      ...{ operator, document: 'case', field, place, traits: alike, apply },
    });
    const clear = (editor: Editor, below: string): void => {
      for (const path of editor.files.keys()) if (path.startsWith(below)) editor.files.delete(path);
    };
    const copy = (editor: Editor, from: string, to: string): void => {
      for (const [path, bytes] of [...editor.files])
        if (path.startsWith(from)) editor.files.set(to + path.slice(from.length), bytes);
    };
    const list = (editor: Editor, caseId: string, change: (names: string[]) => string[]): void =>
      editor.json<{ snapshots: string[] }>(
        `data/cases/${caseId}/case.json`,
        (value) => void (value.snapshots = change([...value.snapshots])),
      );
    yield site('removed', '(case)', folder, (editor) => clear(editor, folder));
    yield site('twice, under a name of its own', '(case)', folder, (editor) => {
      copy(editor, folder, `data/cases/${id}-again/`);
      editor.json<{ case: string }>(`data/cases/${id}-again/case.json`, (value) => void (value.case = `${id}-again`));
    });
    if (next !== undefined && next.id !== id) {
      yield site('swapped, names in step', '(case)', `${folder} and ${next.id}`, (editor) => {
        exchangeFolders(editor, folder, `data/cases/${next.id}/`);
        for (const one of [id, next.id])
          editor.json<{ case: string }>(`data/cases/${one}/case.json`, (value) => void (value.case = one));
      });
    }
    if (first === undefined || second === undefined) continue;
    const last = `${folder}${second.name}/`;
    yield site('removed', '(snapshot)', last, (editor) => clear(editor, last));
    yield site('removed, list in step', '(snapshot)', last, (editor) => {
      clear(editor, last);
      list(editor, id, (names) => names.slice(0, -1));
    });
    yield site('twice, under a name of its own', '(snapshot)', last, (editor) => {
      copy(editor, last, `${folder}${second.name}-again/`);
      list(editor, id, (names) => [...names, `${second.name}-again`]);
    });
    yield site('in the place of the one before it', '(snapshot)', last, (editor) => {
      clear(editor, `${folder}${first.name}/`);
      copy(editor, last, `${folder}${first.name}/`);
    });
    yield site('swapped', '(snapshot)', `${last} and ${first.name}`, (editor) =>
      exchangeFolders(editor, `${folder}${first.name}/`, last),
    );
  }
}

/** Two cases, or two arms, that ask for the same cannot be told apart by what they left. */
function meaningOf({ id: _id, title: _title, ...rest }: { readonly id: string; readonly title?: string }): string {
  return canonical(rest);
}

export const fileOperators: readonly Operator[] = [
  { name: 'files', sites: fileSites },
  { name: 'cases and snapshots', sites: folderSites },
];
