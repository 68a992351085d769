/**
 * `npm test`: installs what is missing, builds, and runs the tests. Arguments go to vitest; `--gate` adds the tests that take minutes.
 *
 * The build comes first because tests of real processes spawn compiled files; they find it through `KILLPOINT_BUILD`.
 */
import { spawnSync } from 'node:child_process';
import { ensureBuild, ensureContract, orExit, root } from './build.mjs';
import { ensureInstalledOrExit } from './install.mjs';

ensureInstalledOrExit();
orExit(ensureContract);
const build = orExit(ensureBuild);
const given = process.argv.slice(2);
const wanted = given.filter((argument) => argument !== '--gate');
const projects = wanted.length < given.length ? [] : ['--project=pure', '--project=crash'];
const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...wanted], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, KILLPOINT_BUILD: build },
});
if (run.error) throw run.error;
process.exit(run.status ?? 70);
