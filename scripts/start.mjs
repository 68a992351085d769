/**
 * `npm start`: from a fresh clone to the verdict of the main experiment, with nothing else to set up.
 *
 * Installs what is missing, builds, runs the plan. A tree with changes cannot give confirmatory evidence; the run is then
 * declared exploratory, which the bundle says, rather than refused: whoever types `npm start` wants to see it work.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuild, orExit, root } from './build.mjs';
import { ensureInstalledOrExit } from './install.mjs';

ensureInstalledOrExit();
const build = orExit(ensureBuild);
const main = join(build, 'harness/cli/main.js');
const args = ['run', 'preregistrations/working-state.json', ...process.argv.slice(2)];
if (!isClean() && !args.includes('--exploratory')) {
  process.stderr.write('The tree is not clean (or not a git checkout): this run is exploratory.\n');
  args.push('--exploratory');
}
const run = spawnSync(process.execPath, [main, ...args], { cwd: root, stdio: 'inherit' });
if (run.error) throw run.error;
process.exit(run.status ?? 70);

function isClean() {
  const status = spawnSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: root, encoding: 'utf8' });
  return status.status === 0 && status.stdout === '';
}
