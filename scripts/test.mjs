/**
 * `npm test`: installs what is missing, builds, and runs the tests. Arguments go to vitest; `--gate` adds the tests that take minutes.
 *
 * The build comes first because tests of real processes spawn compiled files; they find it through `KILLPOINT_BUILD`. What tests leave in the
 * temporary folder goes with the run: they have one of their own.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuild, ensureContract, orExit, root } from './build.mjs';
import { ensureInstalledOrExit } from './install.mjs';

ensureInstalledOrExit();
orExit(ensureContract);
const build = orExit(ensureBuild);
const given = process.argv.slice(2);
const wanted = given.filter((argument) => argument !== '--gate');
const projects = wanted.length < given.length ? [] : ['--project=pure', '--project=crash'];
const folder = mkdtempSync(join(tmpdir(), 'killpoint-tests-'));
// One test runs as another user, who must be able to pass through.
chmodSync(folder, 0o711);
const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...wanted], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, KILLPOINT_BUILD: build, TMPDIR: folder },
});
rmSync(folder, { recursive: true, force: true });
if (run.error) throw run.error;
process.exit(run.status ?? 70);
