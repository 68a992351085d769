/** An inspector tells a state that was never made, or never finished, by name: it is no damage, and the exit says that nothing was inspected. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runRole } from '../testing/roles.js';

const subjects = ['calls', 'sessions'] as const;
const inspect = (subject: (typeof subjects)[number], state: string) => runRole({ subject, role: 'inspect', state, url: '' });

test.each(subjects)('%s: a folder that is not there, or is empty, holds no state', async (subject) => {
  const empty = join(emptyFolder(), 'state');
  for (const make of [() => undefined, () => mkdirSync(empty)]) {
    make();
    const { code, answer, stderr } = await inspect(subject, empty);
    expect(code).toBe(64);
    expect(answer).toMatchObject({ status: 'refused', refusal: { error: 'StateAbsent', call_id: null, operation: null } });
    expect(answer).not.toHaveProperty('events');
    expect(stderr).toMatch(/There is no (ledger|session) in/);
  }
});

test.each([
  ['calls', 'ledger.sqlite.new'],
  ['calls', 'format.json.new'],
  ['sessions', 'session.wal.new'],
] as const)('%s: with nothing but %s it was never finished, and is left as it is', async (subject, name) => {
  const state = emptyFolder();
  writeFileSync(join(state, name), '');
  const { code, answer } = await inspect(subject, state);
  expect(code).toBe(64);
  expect(answer).toMatchObject({ status: 'refused', refusal: { error: 'StateUnfinished' } });
  expect(readdirSync(state)).toEqual([name]);
});

test.each(subjects)('%s: other roles than the inspector refuse it as input, without an answer', async (subject) => {
  const { code, answer } = await runRole({ subject, role: 'resume', state: emptyFolder(), url: 'http://127.0.0.1:9' });
  expect({ code, answer }).toEqual({ code: 64, answer: null });
});

test.each(subjects)('%s: another thing than a state is no state that was never finished', async (subject) => {
  const state = emptyFolder();
  writeFileSync(join(state, 'notes.txt'), 'mine');
  expect(await inspect(subject, state)).toMatchObject({ code: 64, answer: null });
});
