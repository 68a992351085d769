/** A promise that a power loss breaks: a file is synced and renamed, its folder is not, and its new name is announced. */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { KILLPOINT_STATE: state = '', KILLPOINT_OUT: out = '' } = process.env;
const descriptor = openSync(join(state, 'note.new'), 'w');
writeSync(descriptor, 'promised\n');
fsyncSync(descriptor);
closeSync(descriptor);
renameSync(join(state, 'note.new'), join(state, 'note'));
writeFileSync(out, '{}\n');
