import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder } from '../testing/folder.js';
import { blobId, follow } from './git-objects.js';

const plan = Buffer.from('{"version":"plan/v1"}\n');

/** A real repository with the plan in it, and the objects that lead there. */
function repository(format: 'sha1' | 'sha256'): { files: Map<string, Buffer>; commit: string; blob: string } {
  return inFolder((folder) => {
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { stdio: 'pipe' });
    git('init', '-q', `--object-format=${format}`);
    mkdirSync(join(folder, 'plans'));
    writeFileSync(join(folder, 'plans/a.json'), plan);
    writeFileSync(join(folder, 'other'), 'other');
    git('add', '.');
    git('commit', '-q', '-m', 'plan');
    const idOf = (name: string): string => git('rev-parse', name).toString('utf8').trim();
    const files = new Map<string, Buffer>();
    for (const [kind, name] of [
      ['commit', 'HEAD'],
      ['tree', 'HEAD^{tree}'],
      ['tree', 'HEAD:plans'],
    ] as const) {
      const content = git('cat-file', kind, name);
      files.set(`data/git/${idOf(name)}`, Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]));
    }
    return { files, commit: idOf('HEAD'), blob: idOf('HEAD:plans/a.json') };
  });
}

describe.each(['sha1', 'sha256'] as const)('objects of a %s repository', (format) => {
  const { files, commit, blob } = repository(format);

  it('lead from the commit to the plan', () => {
    expect(follow(files, commit, 'plans/a.json').id).toBe(blob);
    expect(blobId(plan, blob.length)).toBe(blob);
    expect(blobId(Buffer.from('another plan'), blob.length)).not.toBe(blob);
  });

  it('lead nowhere else', () => {
    expect(() => follow(files, commit, 'plans/b.json')).toThrow(expect.objectContaining({ code: 'git-object' }));
    expect(() => follow(files, commit, 'other/a.json')).toThrow(expect.objectContaining({ code: 'git-object' }));
    expect(() => follow(new Map(), commit, 'plans/a.json')).toThrow(expect.objectContaining({ code: 'git-object' }));
  });

  /** One object with other content, and those above it with the ids that follow. */
  const forged = (of: 'commit' | 'root' | 'plans', change: (content: Buffer) => Buffer): [Map<string, Buffer>, string] => {
    const made = new Map<string, Buffer>();
    const put = (kind: string, content: Buffer): string => {
      const raw = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
      const id = createHash(format).update(raw).digest('hex');
      made.set(`data/git/${id}`, raw);
      return id;
    };
    const contentOf = (id: string): Buffer => {
      const raw = files.get(`data/git/${id}`) ?? Buffer.alloc(0);
      return raw.subarray(raw.indexOf(0) + 1);
    };
    const replaced = (content: Buffer, old: string, now: string, how: 'hex' | 'utf8'): Buffer => {
      const at = content.indexOf(Buffer.from(old, how));
      const bytes = Buffer.from(now, how);
      return Buffer.concat([content.subarray(0, at), bytes, content.subarray(at + bytes.length)]);
    };
    const way = follow(files, commit, 'plans/a.json');
    const old = { root: way.tree, plans: [...way.objects].at(-1) ?? '' };
    const changed = (name: typeof of, content: Buffer): Buffer => (name === of ? change(content) : content);
    const plans = put('tree', changed('plans', contentOf(old.plans)));
    const root = put('tree', changed('root', replaced(contentOf(old.root), old.plans, plans, 'hex')));
    return [made, put('commit', changed('commit', replaced(contentOf(commit), old.root, root, 'utf8')))];
  };
  const swap = (from: string, to: string) => (content: Buffer) =>
    Buffer.from(content.toString('latin1').replace(from, to), 'latin1');

  it('forged without a change lead there too', () => {
    const [made, head] = forged('root', (content) => content);
    expect(follow(made, head, 'plans/a.json').id).toBe(blob);
  });

  it.each<[string, Parameters<typeof forged>[0], (content: Buffer) => Buffer]>([
    ['is a submodule', 'plans', swap('100644 a.json', '160000 a.json')],
    ['is a link', 'plans', swap('100644 a.json', '120000 a.json')],
    ['is of no mode', 'plans', swap('100644 a.json', 'zz a.json')],
    ['is there twice', 'plans', (content) => Buffer.concat([content, content])],
    ['is followed by rubbish', 'plans', (content) => Buffer.concat([content, Buffer.from('rubbish')])],
    ['lies in what is no folder', 'root', swap('40000 plans', '100644 plans')],
    ['is of nobody', 'commit', (content) => Buffer.from(`${content.toString('utf8').split('\n')[0]}\n`)],
  ])('do not lead to a plan that %s', (_what, of, change) => {
    const [made, head] = forged(of, change);
    expect(() => follow(made, head, 'plans/a.json')).toThrow(expect.objectContaining({ code: 'git-object' }));
  });

  it('are refused when a byte of any of them differs', () => {
    for (const [path, raw] of files) {
      const altered = Buffer.from(raw);
      altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
      expect(() => follow(new Map([...files, [path, altered]]), commit, 'plans/a.json')).toThrow(
        expect.objectContaining({ code: 'git-object' }),
      );
    }
  });
});
