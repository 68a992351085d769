/**
 * Generated mutants of every kept bundle, each rejected for its reasons: `npx tsx scripts/soak/mutants.ts [--sample <n>] [--seed <text>] [<bundle>…]`. Of
 * each bundle as many as the sample says, or with `--sample all` every one, which takes hours. A line for each bundle as it is done, and a summary in one
 * JSON document; 1 where any mutant survived. Each bundle is broken by the program itself, on all cores.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuild, orExit, root } from '../build.mjs';

const kept = join(root, 'evidence', 'kept');
const summary = join(root, 'evidence', 'runs', 'mutants.json');

interface Counts {
  readonly generated: number;
  readonly discarded: number;
  readonly equivalent: number;
  readonly applied: number;
  readonly rejected: number;
}

interface Generated extends Counts {
  readonly found: number;
  readonly bound: number;
  readonly seed: string;
  readonly operators: Readonly<Record<string, Counts>>;
  readonly survivors: readonly object[];
}

interface Broken {
  readonly bundle: string;
  readonly wall_s: number;
  readonly generated: Generated;
}

function keptBundles(): string[] {
  const runs = readdirSync(kept).flatMap((plan) => readdirSync(join(kept, plan)).map((run) => join(kept, plan, run)));
  return runs.filter((folder) => existsSync(join(folder, 'bagit.txt'))).sort();
}

/** How many mutants of each bundle, and what chooses them. */
export interface Sample {
  /** `all`: every one. */
  readonly size: number | 'all';
  readonly seed: string;
}

/** More than five thousand of thirteen bundles, also when some change nothing. */
export const soakSize = 500;

function broken(main: string, bundle: string, { size, seed }: Sample): Broken {
  const began = Date.now();
  const chosen = size === 'all' ? ['--generated', 'all'] : ['--generated', 'sample', '--sample', String(size), '--seed', seed];
  const args = [main, 'corrupt', bundle, ...chosen, '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (status !== 0 && status !== 1) throw new Error(`${bundle} could not be broken (${status}): ${stderr.slice(-2000)}`);
  const { generated } = JSON.parse(stdout) as { generated: Generated };
  return {
    bundle: `${basename(dirname(bundle))}/${basename(bundle)}`,
    wall_s: Math.round((Date.now() - began) / 1000),
    generated,
  };
}

export interface Mutants extends Counts {
  readonly survivors: number;
  readonly bundles: readonly Broken[];
}

/** `bundles`: their folders; all that are kept where none is named. A line for people as each is done. */
export function breakBundles(build: string, bundles: readonly string[], sample: Sample): Mutants {
  const main = join(build, 'verifier', 'cli', 'main.js');
  const done = (bundles.length > 0 ? bundles : keptBundles()).map((bundle) => {
    const one = broken(main, bundle, sample);
    const { generated, applied, equivalent, discarded, rejected, survivors } = one.generated;
    process.stderr.write(
      `${one.bundle}: ${generated} made, ${discarded} discarded, ${equivalent} equivalent, ${applied} applied, ${rejected} rejected, ${survivors.length} survivors, ${one.wall_s} s\n`,
    );
    return one;
  });
  const sum = (name: keyof Counts): number => done.reduce((all, one) => all + one.generated[name], 0);
  return {
    ...{ generated: sum('generated'), discarded: sum('discarded'), equivalent: sum('equivalent') },
    ...{ applied: sum('applied'), rejected: sum('rejected') },
    survivors: done.reduce((all, one) => all + one.generated.survivors.length, 0),
    bundles: done,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sample: { type: 'string', default: String(soakSize) }, seed: { type: 'string', default: 'killpoint' } },
  });
  if (!/^(all|[1-9]\d*)$/.test(values.sample)) {
    process.stderr.write('--sample wants a number from 1, or all.\n');
    process.exit(64);
  }
  const size = values.sample === 'all' ? 'all' : Number(values.sample);
  const { bundles, ...total } = breakBundles(orExit(ensureBuild), positionals, { size, seed: values.seed });
  mkdirSync(join(root, 'evidence', 'runs'), { recursive: true });
  writeFileSync(summary, `${JSON.stringify({ ...total, bundles }, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(total)}\n`);
  process.exitCode = total.survivors > 0 ? 1 : 0;
}
