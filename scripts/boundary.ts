/**
 * The dependency rule: the four programs never import one another, and inside each a floor imports only downwards.
 *
 * The rules are in `.dependency-cruiser.json`. A checker that sees nothing finds nothing and is content (met with a TypeScript
 * that it could not load), so this script also demands that every tracked source file was seen, and that one forbidden import,
 * planted in a copy, is found.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programs, root } from './build.mjs';

interface Cruise {
  modules: { source: string }[];
  summary: { violations: { from: string; to: string; rule: { name: string; severity: string } }[] };
}

function cruise(folder: string): Cruise {
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const folders = [...programs, 'scripts'].filter((name) => existsSync(join(folder, name)));
  const args = [cli, '--config', '.dependency-cruiser.json', '--output-type', 'json', ...folders];
  const run = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.error) throw run.error;
  if (!run.stdout.startsWith('{'))
    throw new Error(`dependency-cruiser failed: ${run.stderr.trim() || `exit code ${run.status}`}`);
  return JSON.parse(run.stdout) as Cruise;
}

/** Tracked files and those that would be: a new file must not escape by not being added yet. */
function sources(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  return listed.filter((path) => [...programs, 'scripts'].includes(path.split('/')[0] ?? '') && existsSync(join(root, path)));
}

function plantIsFound(): boolean {
  const copy = mkdtempSync(join(tmpdir(), 'killpoint-boundary-'));
  try {
    for (const name of ['tsconfig.json', 'package.json', '.dependency-cruiser.json', ...programs]) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const [victim] = sources().filter((path) => path.startsWith('verifier/') && !path.endsWith('.test.ts'));
    const [other] = sources().filter((path) => path.startsWith('runtime/') && !path.endsWith('.test.ts'));
    if (victim === undefined || other === undefined) return false;
    const up = '../'.repeat(victim.split('/').length - 1);
    appendFileSync(join(copy, victim), `\nimport '${up}${other.replace(/\.ts$/, '.js')}';\n`);
    const { violations } = cruise(copy).summary;
    return violations.some(({ from, rule }) => from === victim && rule.name === 'programs-never-import-one-another');
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const { modules, summary } = cruise(root);
const seen = new Set(modules.map(({ source }) => source));
const expected = sources();
const unseen = expected.filter((path) => !seen.has(path));
const problems = [
  ...summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`),
  ...unseen.map((path) => `not seen by the checker: ${path}`),
  ...(expected.length === 0 ? ['there are no source files to check'] : []),
  ...(plantIsFound() ? [] : ['a planted import from the verifier into the runtime was not found']),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`boundary: ${expected.length} source files seen, ${problems.length} problems\n`);
process.exit(problems.length === 0 ? 0 : 1);
