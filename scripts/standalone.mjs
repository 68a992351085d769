/**
 * The verifier as one file, `killpoint-verify.mjs`: its compiled modules and its packages, readable, for a reviewer who has neither this project
 * nor its packages. It depends on nothing but the sources and the locked packages, so two builds give the same bytes, wherever they lie.
 *
 * An addon cannot be inside. The driver of better-sqlite3 is, and looks for the addon of its own version around the file.
 */
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve, sep } from 'node:path';

export const standalone = 'killpoint-verify.mjs';

/** The driver asks for its addon by this function; of another version it could not know what it does. */
const loaderOf = (version) => `module.exports = (name) => {
  if (require('better-sqlite3/package.json').version !== '${version}')
    throw Object.assign(new Error('Only better-sqlite3 ${version} fits.'), { code: 'ANOTHER_VERSION' });
  return require('better-sqlite3/build/Release/' + name);
};
`;

/** Bundles `<folder>/verifier` with what `node_modules` holds, and writes the file into the folder. */
export function writeStandalone(folder, nodeModules) {
  const { buildSync } = createRequire(import.meta.url)('esbuild');
  const manifestOf = (name) => JSON.parse(fs.readFileSync(join(nodeModules, name, 'package.json'), 'utf8'));
  // Where the packages lie, seen from the folder of the build, is no part of the program.
  const outside = `${relative(folder, nodeModules).split(sep).join('/')}/`;
  const loader = join(folder, 'addon-outside.cjs');
  fs.writeFileSync(loader, loaderOf(manifestOf('better-sqlite3').version));
  try {
    const { outputFiles, metafile } = buildSync({
      entryPoints: [join(folder, 'verifier/cli/standalone.js')],
      outfile: join(folder, standalone),
      write: false,
      metafile: true,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      charset: 'utf8',
      legalComments: 'none',
      external: ['better-sqlite3/package.json'],
      alias: { bindings: loader },
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
      },
      nodePaths: [nodeModules],
      preserveSymlinks: true,
      absWorkingDir: folder,
      logLevel: 'silent',
    });
    const names = [...new Set(Object.keys(metafile.inputs).flatMap((path) => packageOf(path) ?? []))].sort();
    const text = `${headOf(names.map(manifestOf))}${outputFiles[0].text.replaceAll(outside, 'node_modules/')}${licences(names, nodeModules)}`;
    fs.writeFileSync(join(folder, standalone), text);
  } finally {
    fs.rmSync(loader);
  }
}

function packageOf(path) {
  return /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(path)?.[1];
}

function headOf(manifests) {
  const inside = manifests.map(({ name, version, license }) => ` *   ${name} ${version} (${license})`);
  return `/**
 * killpoint-verify: judges the bytes of a sealed bundle. Node 20.19 or newer; \`node ${standalone} --help\` tells its commands.
 * Ledgers are read with better-sqlite3 where it lies beside this file, or else with node:sqlite (Node 22.13 or newer).
 * Made from the sources by \`npm run build\`. Inside are these packages, with their licences at the end:
${inside.join('\n')}
 */
`;
}

function licences(names, nodeModules) {
  const parts = names.map((name) => {
    const folder = resolve(nodeModules, name);
    const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? 'Its package holds no text of its licence.' : fs.readFileSync(join(folder, file), 'utf8');
    return `${name}\n\n${text.trim().replaceAll('*/', '* /')}\n`;
  });
  return `/*\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}*/\n`;
}
