/**
 * The bundles that are kept in git: which plans have one, the newest of each, and what the verifier says of it now.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const home = 'evidence/kept';

export interface Verdict {
  verdict: string;
  confirmatory: boolean;
  claims: { held: number; broken: number; unknown: number };
  cases: number;
  void: number;
}

/** The plans that have a kept bundle, by name. */
export function keptPlans(): string[] {
  return readdirSync(home)
    .filter((plan) => bundlesOf(plan).length > 0)
    .sort();
}

/** The newest kept bundle of a plan, or null. */
export function keptBundle(plan: string): string | null {
  return bundlesOf(plan).at(-1) ?? null;
}

/** All of them, the older ones of a plan too. */
export function keptBundles(): string[] {
  return keptPlans().flatMap(bundlesOf);
}

const verdicts = new Map<string, Verdict>();

/** Judged by the present verifier, in a process of its own; once, as neither the bundle nor the verifier changes meanwhile. */
export function judged(bundle: string): Verdict {
  return verdictOf(bundle) as Verdict;
}

/** The whole document. */
export function verdictOf(bundle: string): unknown {
  const known = verdicts.get(bundle);
  if (known !== undefined) return known;
  const { stdout, stderr } = verify(bundle, '--json');
  if (stdout === '') throw new Error(`The verifier said nothing about ${bundle}: ${stderr}`);
  const verdict = JSON.parse(stdout) as Verdict;
  verdicts.set(bundle, verdict);
  return verdict;
}

/** The last lines that a person sees, as they are printed. */
export function lastWords(bundle: string): string {
  const lines = verify(bundle).stdout.trimEnd().split('\n');
  return lines.slice(lines.findLastIndex((line) => /^\d+ claims/.test(line))).join('\n');
}

function verify(...args: string[]): { stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['bin/killpoint-verify.js', ...args], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    env: { ...process.env, NO_COLOR: '1' },
  });
}

/** Run ids begin with their time, so the last name is the newest. */
function bundlesOf(plan: string): string[] {
  const folder = join(home, plan);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, 'bagit.txt')));
}
