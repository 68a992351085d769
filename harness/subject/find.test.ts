import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Subject } from '../contract/types.js';
import { installationAt } from '../io/installation.js';
import { temporaryFolder } from '../testing/plans.js';
import { commandOf } from './find.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('a command in the record', () => {
  it('has no machine path and no empty word, whatever its arguments name', () => {
    const build = join(folder.path, 'build');
    const subject = join(folder.path, 'subject');
    for (const path of [join(build, 'roles'), subject]) mkdirSync(path, { recursive: true });
    writeFileSync(join(build, 'roles', 'a.js'), '');
    writeFileSync(join(subject, 'b.mjs'), '');
    const words = [build, join(build, 'roles', 'a.js'), subject, '.', 'b.mjs', '/', folder.path, '--flag'];
    const command: [string, ...string[]] = ['node', ...words];
    const roles = { produce: command, inspect: command, resume: command, restart: command };
    const description = { ...emptyDescription, roles };
    const { recorded } = commandOf({ folder: subject, description }, 'produce', installationAt(build));
    expect(recorded).toEqual([
      'node',
      '.',
      'roles/a.js',
      '<subject>',
      '<subject>',
      '<subject>/b.mjs',
      '<outside>/',
      expect.stringMatching(/^<outside>\/killpoint-harness-/),
      '--flag',
    ]);
  });
});

const emptyDescription: Omit<Subject, 'roles'> = {
  protocol: 'subject/v1',
  name: 'toy',
  storage: 'opaque',
  model: 'receipts-only',
  state: '.',
  checkpoints: [],
  volatile: [],
};
