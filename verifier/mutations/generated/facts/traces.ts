/** Breaks of what a tracer told (`trace.txt`), of what a subject made of derived states (`states.jsonl`), and of what came over descriptor 3. */
import type { Json } from '../../../read/canonical.js';
import { canonical, parseJson } from '../../../read/canonical.js';
import { shuffled } from '../choose.js';
import type { Good, Operator, Site } from '../operator.js';
import { traitsOfRole, traitsOfSnapshot } from '../traits.js';
import { fieldSites } from './json.js';
import { lineSites, linesOf, putLines, someIndexes, type LineFile } from './lines.js';

const looked = 2;

/** Files of some snapshots of each kind, as lines. */
function filesNamed({ bundle, snapshots }: Good, name: string): LineFile[] {
  const seen = new Map<string, number>();
  const ofRoles = name === 'checkpoint.jsonl';
  const all = snapshots.flatMap((snapshot) =>
    ofRoles
      ? snapshot.roles.map((role) => ({ snapshot, file: role.file(name), traits: traitsOfRole(snapshot, role) }))
      : [{ snapshot, file: snapshot.file(name), traits: [] as string[] }],
  );
  return shuffled(all, name, ({ file }) => file).flatMap(({ snapshot, file, traits: own }): LineFile[] => {
    if (!bundle.tree.files.has(file)) return [];
    const traits = [...traitsOfSnapshot(bundle, snapshot), ...own];
    const count = (seen.get(traits.join(' ')) ?? 0) + 1;
    seen.set(traits.join(' '), count);
    if (count > looked) return [];
    const lines = linesOf(bundle.tree.files.get(file));
    return [
      {
        document: name,
        file,
        traits,
        lines,
        traitsOf: (index) => traitsOfLine(lines, index, snapshot.planned.traced?.call?.name),
        put: putLines(file),
      },
    ];
  });
}

/** Of a trace: where a line stands to the call that failed, or before which somebody was killed. */
function traitsOfLine(lines: readonly string[], index: number, armed: string | undefined): string[] {
  const injected = lines.findIndex((line) => line.endsWith('(INJECTED)'));
  return [
    ...(index === lines.length - 1 ? ['last-line'] : []),
    ...(index === lines.length - 2 ? ['last-call'] : []),
    ...(injected >= 0 && index > injected ? ['after-fault'] : []),
    ...(callIn(lines[index]) === callIn(lines[index + 1]) ? ['same-call'] : []),
    ...(armed !== undefined && lines[index]?.includes(` ${armed}(`) === true ? ['armed-name'] : []),
  ];
}

/** A call by its name and its files. */
function callIn(line = ''): string {
  const name = /^\d+ (\w+)\(/.exec(line)?.[1] ?? '';
  // Where a call failed by the tracer, or never came back, is held.
  const result = / = \?$|\(INJECTED\)$/.exec(line)?.[0] ?? '';
  return [name, result, ...[...line.matchAll(/<state>[^">]*/g)].map(([path]) => path)].join(' ');
}

function* jsonLines(good: Good, one: LineFile, schema: string): Generator<Site> {
  const { document, file, traits, lines, put } = one;
  for (const index of someIndexes(lines.length)) {
    const value: Json = parseJson(lines[index] ?? '');
    yield* fieldSites(good, {
      ...{ document, schema, file: `${file} line ${index + 1}`, value, traits: [...traits, ...toldOf(value)] },
      put: (editor, changed) => put(editor, lines.toSpliced(index, 1, canonical(changed))),
    });
  }
}

/** What a subject made of a derived state. */
function toldOf(value: Json): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return ['opened', 'refused', 'remade'].filter((name) => (value[name] ?? null) !== null);
}

/** Parts of a line `<pid> <name>(<arguments>) = <result>`. */
const parts: readonly [operator: string, field: string, change: (line: string) => string][] = [
  ['another pid', '(pid)', (line) => line.replace(/^\d+/, (pid) => String(Number(pid) + 1))],
  [
    'another name',
    '(name)',
    (line) => line.replace(/^(\d+ )(\w+)/, (_all, pid: string, name: string) => `${pid}${otherName(name)}`),
  ],
  ['another file', '(path)', (line) => line.replace(/<state>\/[^">]+/g, '<state>/format.json')],
  ['never came back', '(result)', (line) => line.replace(/ = [^=]*$/, ' = ?')],
  ['failed by the disk', '(result)', (line) => line.replace(/ = [^=]*$/, ' = -1 EIO (Input/output error)')],
  ['failed by the tracer', '(result)', (line) => line.replace(/ = [^=]*$/, ' = -1 EIO (Input/output error) (INJECTED)')],
];

function otherName(name: string): string {
  const pairs: Readonly<Record<string, string>> = {
    pwrite64: 'write',
    write: 'pwrite64',
    fsync: 'fdatasync',
    fdatasync: 'fsync',
    unlink: 'rename',
    rename: 'unlink',
  };
  return pairs[name] ?? 'write';
}

const ends: readonly [operator: string, change: (line: string) => string][] = [
  [
    'another end',
    (line) =>
      line.includes('killed')
        ? line.replace('killed by SIGKILL', 'exited with 0')
        : line.replace(/exited with \d+/, 'killed by SIGKILL'),
  ],
  ['another exit code', (line) => line.replace(/exited with (\d+)/, (_all, code: string) => `exited with ${Number(code) + 1}`)],
  ['another pid', (line) => line.replace(/^\d+/, (pid) => String(Number(pid) + 1))],
];

function* tracedParts({ document, file, traits, lines, put, traitsOf }: LineFile): Generator<Site> {
  const site = (operator: string, field: string, index: number, line: string): Site => ({
    ...{ operator, document, field, traits: [...traits, ...(traitsOf?.(index) ?? [])], place: `${file} line ${index + 1}` },
    apply: (editor) => put(editor, lines.toSpliced(index, 1, line)),
  });
  const end = lines.length - 1;
  for (const index of someIndexes(end)) {
    for (const [operator, field, change] of parts) yield site(operator, field, index, change(lines[index] ?? ''));
  }
  for (const [operator, change] of ends) yield site(operator, '(end)', end, change(lines[end] ?? ''));
}

export const traceOperators: readonly Operator[] = [
  {
    name: 'lines of traces',
    *sites(good) {
      for (const one of filesNamed(good, 'trace.txt')) {
        yield* lineSites(one);
        yield* tracedParts(one);
      }
    },
  },
  {
    name: 'derived states',
    *sites(good) {
      for (const one of filesNamed(good, 'states.jsonl')) {
        yield* lineSites(one);
        yield* jsonLines(good, one, 'derived-state');
      }
    },
  },
  {
    name: 'announcements',
    *sites(good) {
      for (const one of filesNamed(good, 'checkpoint.jsonl')) {
        yield* lineSites(one);
        yield* jsonLines(good, one, 'checkpoint-line');
      }
    },
  },
];
