/**
 * The packed package, installed in an empty folder, does what it says there: runs a shipped plan, verifies, shows a state.
 *
 * An installed package has no git of its own, so the run is exploratory; that is what a user's first run is.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../install.mjs';
import { bundlesBelow, demand, root, step, withFolder } from './shared.js';

const shipped = ['working-state.json'];

function mustNpm(args: string[], cwd: string): string {
  const ran = npm(args, { cwd, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`npm ${args.join(' ')} exited ${ran.status}:\n${String(ran.stderr).slice(-4000)}`);
  return String(ran.stdout);
}

step('package', () =>
  withFolder('pack', (folder) => {
    const [{ filename, size, unpackedSize, files }] = JSON.parse(
      mustNpm(['pack', '--json', '--pack-destination', folder], root),
    ) as [{ filename: string; size: number; unpackedSize: number; files: { path: string }[] }];
    const stray = files
      .map(({ path }) => path)
      .filter((path) => /\.test\.|(^|\/)testing\/|^(?!dist\/package\/).*\.ts$/.test(path));
    if (stray.length > 0) throw new Error(`The package ships what it should not: ${stray.slice(0, 5).join(', ')}`);
    const home = join(folder, 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
    mustNpm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', join(folder, filename)], home);
    const killpoint = (wanted: number, ...args: string[]): string =>
      demand(wanted, process.execPath, ['node_modules/killpoint/bin/killpoint.js', ...args], { cwd: home }).stdout;
    for (const plan of shipped) {
      killpoint(0, 'run', `node_modules/killpoint/preregistrations/${plan}`, '--exploratory', '--out', 'runs', '--json');
    }
    const bundles = bundlesBelow(join(home, 'runs'));
    if (bundles.length !== shipped.length) throw new Error(`${shipped.length} plans gave ${bundles.length} bundles.`);
    for (const bundle of bundles) {
      mustNpm(['exec', '--no', '--', 'killpoint-verify', bundle], home);
      const states = JSON.parse(
        killpoint(0, 'state', join(bundle, 'data/cases/manifest-resumed/producer/state'), '--json'),
      ) as unknown;
      if (!JSON.stringify(states).includes('start_call'))
        throw new Error('The state of a killed ledger does not name start_call.');
      killpoint(0, 'verify', bundle);
    }
    // The library is what most users import; it must load from the package's own entry.
    demand(
      0,
      process.execPath,
      ['--input-type=module', '--eval', "const m = await import('killpoint'); if (Object.keys(m).length === 0) process.exit(1)"],
      {
        cwd: home,
      },
    );
    return `${statSync(join(folder, filename)).size === size ? size : 'unknown'} bytes packed, ${unpackedSize} unpacked, ${files.length} files; ran, verified and projected`;
  }),
);
