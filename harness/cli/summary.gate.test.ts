/** What a run says to a person; what it says to a program is in `main.crash.test.ts`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requestFor, subjectsFolder, toyPlan } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();

it('a run prints a summary for people, without colour where nobody sees it', () => {
  const { planFile } = requestFor(toyPlan(), stand.folder, stand.installation);
  const main = join(stand.installation.build, 'harness', 'cli', 'main.js');
  const given = ['--out', join(stand.folder, 'runs'), '--exploratory', '--subject', join(subjectsFolder, 'toy')];
  const { stdout } = spawnSync(process.execPath, [main, 'run', planFile, ...given], { encoding: 'utf8', timeout: 30_000 });
  for (const name of ['plan', 'cases', 'outcomes', 'claims', 'verdict', 'bundle', 'root'])
    expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
  expect(stdout).not.toContain('\u001b');
});
