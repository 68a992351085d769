/**
 * The dependency rule: the four programs never import one another, and inside each a floor imports only downwards.
 *
 * The rules are in `.dependency-cruiser.json`. A checker that sees nothing finds nothing and is content (met with a TypeScript
 * that it could not load), so this script also demands that every source file was seen, and that each bad import of `plants`, put into a
 * copy, is found by the rule that forbids it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { programs, root } from './build.mjs';

interface Violation {
  from: string;
  to: string;
  rule: { name: string };
}

interface Cruise {
  modules: { source: string }[];
  summary: { violations: Violation[] };
}

/** A new file with one bad import, and the rule that must find it: at least one for each family of rules, and one for each program's floors. */
const plants: { file: string; imports: string; rule: string }[] = [
  { file: 'verifier/read/planted.ts', imports: '../../runtime/index.js', rule: 'programs-never-import-one-another' },
  { file: 'harness/case/planted.ts', imports: '../../scripts/install.mjs', rule: 'scripts-are-not-a-floor' },
  {
    file: 'scripts/differential/reference/planted.ts',
    imports: '../../../verifier/model/calls/history.js',
    rule: 'differential-reference-alone',
  },
  { file: 'bin/planted.js', imports: '../verifier/verdict.js', rule: 'launchers-import-no-program' },
  { file: 'harness/testing/planted.mjs', imports: '../../runtime/index.js', rule: 'programs-never-import-one-another' },
  { file: 'scripts/planted.mjs', imports: './nowhere.mjs', rule: 'everything-resolves' },
  { file: 'runtime/core/planted.ts', imports: '../store/lease.js', rule: 'runtime-floor-core' },
  { file: 'runtime/sessions/log/planted.ts', imports: '../live/run.js', rule: 'sessions-floor-log' },
  { file: 'runtime/calls/live/planted.ts', imports: '../recovery/finalize.js', rule: 'calls-floor-live' },
  { file: 'runtime/sessions/tools/planted.ts', imports: '../../calls/live/call.js', rule: 'sessions-floor-tools' },
  { file: 'runtime/wire/planted-subject.ts', imports: '../sessions/core/keys.js', rule: 'runtime-subjects-apart' },
  { file: 'synthetic-provider/script/planted.ts', imports: '../http/server.js', rule: 'provider-floor-script' },
  { file: 'harness/process/planted.ts', imports: '../case/act.js', rule: 'harness-floor-process' },
  { file: 'verifier/checks/planted.ts', imports: '../verdict.js', rule: 'verifier-floor-checks' },
  { file: 'verifier/checks/planted-shared.ts', imports: './calls/derived.js', rule: 'verifier-shared-knows-no-subject' },
  { file: 'verifier/model/planted-subject/planted.ts', imports: '../calls/history.js', rule: 'verifier-subjects-apart' },
  { file: 'verifier/model/planted.ts', imports: 'node:fs', rule: 'pure-code-has-no-files-or-sockets' },
  { file: 'harness/plan/planted.ts', imports: 'node:child_process', rule: 'pure-code-has-no-files-or-sockets' },
  { file: 'verifier/read/planted-package.ts', imports: 'execa', rule: 'verifier-short-list' },
  { file: 'verifier/attest/planted.ts', imports: '../verdict.js', rule: 'verifier-floor-attest' },
  { file: 'verifier/attest/planted-package.ts', imports: 'commander', rule: 'verifier-attest-list' },
  { file: 'verifier/cli/planted-package.ts', imports: '@sigstore/core', rule: 'verifier-short-list' },
  { file: 'runtime/store/planted.ts', imports: 'ajv', rule: 'compiled-code-uses-no-developer-packages' },
  { file: 'harness/power-loss/planted.ts', imports: '../case/act.js', rule: 'harness-floor-power-loss' },
  { file: 'harness/power-loss/planted-files.ts', imports: 'node:fs', rule: 'pure-code-has-no-files-or-sockets' },
  { file: 'harness/io/planted.ts', imports: '../testing/plans.js', rule: 'only-tests-use-testing' },
  { file: 'runtime/wire/planted.ts', imports: './planted-other.js', rule: 'no-cycles' },
  { file: 'runtime/wire/planted-other.ts', imports: './planted.js', rule: 'no-cycles' },
];

const folders = [...programs, 'bin', 'scripts'];

function cruise(folder: string): Cruise {
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [cli, '--config', '.dependency-cruiser.json', '--output-type', 'json', ...folders];
  const run = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.error) throw run.error;
  if (!run.stdout.startsWith('{'))
    throw new Error(`dependency-cruiser failed: ${run.stderr.trim() || `exit code ${run.status}`}`);
  return JSON.parse(run.stdout) as Cruise;
}

/** Tracked files and those that would be: a new file must not escape by not being added yet. Declarations hold no imports of code. */
function sources(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.mts', '*.cts', '*.js', '*.mjs', '*.cjs'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  return listed.filter(
    (path) => folders.includes(path.split('/')[0] ?? '') && !/\.d\.[mc]?ts$/.test(path) && existsSync(join(root, path)),
  );
}

/** A circle is reported at one of its files only. */
function isOf({ from, to }: Violation, file: string): boolean {
  return from === file || to === file;
}

/** The plants that no rule found, or another rule than the one named. */
function plantsNotFound(): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'killpoint-boundary-'));
  try {
    for (const name of ['tsconfig.json', 'package.json', '.dependency-cruiser.json', ...folders]) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const { file, imports } of plants) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      writeFileSync(join(copy, file), `import '${imports}';\n`, { flag: 'wx' });
    }
    const { violations } = cruise(copy).summary;
    return plants
      .filter(({ file, rule }) => !violations.some((found) => isOf(found, file) && found.rule.name === rule))
      .map(({ file, imports, rule }) => `${rule} did not find "${imports}", planted in ${file}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const { modules, summary } = cruise(root);
const seen = new Set(modules.map(({ source }) => source));
const expected = sources();
const problems = [
  ...summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`),
  ...expected.filter((path) => !seen.has(path)).map((path) => `not seen by the checker: ${path}`),
  ...(expected.length === 0 ? ['there are no source files to check'] : []),
  ...plantsNotFound(),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(
  `boundary: ${expected.length} source files seen, ${plants.length} planted imports, ${problems.length} problems\n`,
);
process.exit(problems.length === 0 ? 0 : 1);
