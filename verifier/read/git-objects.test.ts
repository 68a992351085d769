import { execFileSync } from 'node:child_process';
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
