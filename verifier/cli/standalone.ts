/**
 * The program as one file, which the build makes of this module: what the verifier otherwise loads when it is first wanted is inside. An addon
 * cannot be, so better-sqlite3 is looked for around the file, and Node's own engine takes its place.
 */
import './node-version.js';
import './carried.js';
import './main.js';
