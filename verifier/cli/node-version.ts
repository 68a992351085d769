/** Refuses a Node that is too old before anything of it is needed; the launcher, which does it otherwise, is not with the one file. */
import { exitCodes } from './exit.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`killpoint-verify needs Node 20.19 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(exitCodes.usage);
}
