/**
 * A clone on a machine that converts line ends still holds the same evidence: git keeps it as bytes, and it verifies there.
 */
import { join } from 'node:path';
import { ensureBuild } from '../build.mjs';
import { bundlesBelow, demand, root, step, withFolder } from './shared.js';

step('clone with core.autocrlf', () =>
  withFolder('clone', (folder) => {
    demand(0, 'git', ['-c', 'core.autocrlf=true', 'clone', '--quiet', '--no-local', root, join(folder, 'clone')]);
    const bundles = bundlesBelow(join(folder, 'clone/evidence/kept'));
    if (bundles.length === 0) throw new Error('There is no kept bundle in the clone.');
    for (const bundle of bundles) {
      demand(0, 'sha256sum', ['-c', '--strict', '--quiet', 'manifest-sha256.txt'], { cwd: bundle });
      demand(0, process.execPath, [join(ensureBuild(), 'verifier/cli/main.js'), bundle]);
    }
    return `${bundles.length} kept bundles verified`;
  }),
);
