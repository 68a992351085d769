/**
 * Writes the figures of README.md from the kept bundle, so that no number there was typed by hand.
 *
 * The verifier judges the kept bundle afresh. Only a valid one is quoted: then every figure that its plan predicts is one that the
 * verifier derived from the bytes (G25), and the plan inside the bundle is the list of figures. `--check` changes nothing and exits 1 if the
 * README says something else.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Expect {
  events: number;
  receipts: number;
  effects: number;
  outcome: string;
  refusal?: { error: string; operation: string | null; hazard: string | null; drift: string[] };
}
interface PlannedCase {
  id: string;
  expect: Expect;
  arms: { id: string; expect: Expect }[];
}
interface Verdict {
  verdict: string;
  claims: { held: number; broken: number; unknown: number };
  cases: number;
  void: number;
}

/** The rows that a newcomer should see, most telling first. */
const shown: [caseId: string, happened: string][] = [
  ['effect-unknown', 'killed while the provider holds the request'],
  ['manifest-resumed', 'killed after the request was recorded, before anything was sent'],
  ['drift-request-body', 'the same, but another model is configured now'],
  ['observed', 'killed after the answer was recorded'],
  ['resume-killed', 'killed after the request was recorded, and the resume killed too'],
  ['honoured-restart', 'killed while held, by a provider that honours the key'],
];

const begin = '<!-- figures:begin (npm run readme) -->';
const end = '<!-- figures:end -->';

export function keptBundle(plan = 'working-state'): string {
  const home = join('evidence/kept', plan);
  const newest = readdirSync(home)
    .filter((name) => !name.includes('.'))
    .sort()
    .at(-1);
  if (newest === undefined) throw new Error(`There is no kept bundle in ${home}.`);
  return join(home, newest);
}

function judged(bundle: string): Verdict {
  const { stdout, stderr } = spawnSync(process.execPath, ['bin/killpoint-verify.js', bundle, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (stdout === '') throw new Error(`The verifier said nothing about ${bundle}: ${stderr}`);
  return JSON.parse(stdout) as Verdict;
}

function armText({ outcome, refusal }: Expect): string {
  if (refusal === undefined) return outcome.replace('_', ' ');
  if (refusal.drift.length > 0) return `refused: ${refusal.drift.join(' and ')} would differ`;
  return `refused${refusal.hazard === null ? '' : ` as ${refusal.hazard}`}: ${refusal.operation ?? 'nothing'}`;
}

/** The last lines that a person sees, as they are printed. */
function lastWords(bundle: string): string {
  const { stdout } = spawnSync(process.execPath, ['bin/killpoint-verify.js', bundle], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    env: { ...process.env, NO_COLOR: '1' },
  });
  const lines = stdout.trimEnd().split('\n');
  return lines.slice(lines.findLastIndex((line) => /^\d+ claims/.test(line))).join('\n');
}

export function figures(bundle: string): string {
  const verdict = judged(bundle);
  if (verdict.verdict !== 'valid') throw new Error(`${bundle} is ${verdict.verdict}; only a valid bundle is quoted.`);
  const plan = JSON.parse(readFileSync(join(bundle, 'data/plan.json'), 'utf8')) as { cases: PlannedCase[] };
  const rows = shown.flatMap(([id, happened]) => {
    const planned = plan.cases.find((one) => one.id === id);
    if (planned === undefined) throw new Error(`The kept bundle has no case ${id}.`);
    return planned.arms.map((arm, index) => {
      const before = index === 0 ? `${happened} (\`${id}\`)` : '';
      const grew = `${planned.expect.events} → ${arm.expect.events}`;
      return `| ${before} | ${arm.id} | ${armText(arm.expect)} | ${grew} | ${arm.expect.receipts} | ${arm.expect.effects} |`;
    });
  });
  const arms = plan.cases.reduce((sum, one) => sum + one.arms.length, 0);
  return [
    '| what happened to the process | what the next one does | outcome | events | requests | paid |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    `${verdict.cases} cases with ${arms} arms. What the verifier says of the kept bundle, after a line for each claim:`,
    '',
    '```',
    `$ npx killpoint verify ${bundle}`,
    lastWords(bundle),
    '```',
  ].join('\n');
}

export function withFigures(readme: string, text: string): string {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error('README.md has no place for the figures.');
  return `${readme.slice(0, from + begin.length)}\n\n${text}\n\n${readme.slice(to)}`;
}

if (process.argv[1]?.endsWith('readme.ts') === true) {
  const before = readFileSync('README.md', 'utf8');
  const after = withFigures(before, figures(keptBundle()));
  if (!process.argv.includes('--check')) writeFileSync('README.md', after);
  else if (before !== after) {
    console.error('README.md does not say what the kept bundle says. Run `npm run readme`.');
    process.exitCode = 1;
  }
}
