import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Traced } from '../plan/types.js';
import { underTracer } from './tracer.js';

const state = mkdtempSync(join(tmpdir(), 'killpoint-tracer-'));
const call = { name: 'fsync', nth: 3 };
const plan = (more: Partial<Traced>): Traced => ({ family: 'syncs', call, paths: ['log'], fault: null, reached: true, ...more });
const injected = (more: Partial<Traced>): string[] =>
  underTracer({ file: 'node', args: ['role.js'] }, plan(more), state, '/trace').args.filter((word) => word.startsWith('inject='));

it.each<[string, Partial<Traced>, string[]]>([
  ['kills before a call', {}, ['inject=fsync:signal=SIGKILL:when=3']],
  ['has a call fail once', { fault: { error: 'EIO', lasting: false } }, ['inject=fsync:error=EIO:when=3']],
  ['has it fail from then on', { fault: { error: 'ENOSPC', lasting: true } }, ['inject=fsync:error=ENOSPC:when=3+']],
  ['only watches', { call: null, fault: { error: 'EIO', lasting: false } }, []],
])('the tracer %s', (_what, more, words) => expect(injected(more)).toEqual(words));

it('counts the calls on the given files of the state folder, and of nothing else', () => {
  const { args } = underTracer({ file: 'node', args: [] }, plan({}), state, '/trace');
  expect(args[args.indexOf('-P') + 1]).toBe(join(state, 'log'));
});
