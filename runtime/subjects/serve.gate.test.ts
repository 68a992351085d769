/**
 * The serve roles as real processes: what a warm process says of a state is what the spawned inspector says of it, and nothing stays behind.
 *
 * The states are those of the kept bundles, where processes were killed at checkpoints and before system calls, and damaged copies of them.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServeAnswer } from '../contract/types.js';
import { Lease } from '../store/lease.js';
import { emptyFolder, runRole } from '../testing/roles.js';
import { serveAll, startServe, type Serve, type Served } from '../testing/serve.js';

const subjects = ['calls', 'sessions'] as const;
const record = { calls: 'ledger.sqlite', sessions: 'session.wal' } as const;
const bundlesOf = { calls: ['recovery', 'syscalls'], sessions: ['sessions', 'syscalls-sessions'] } as const;
const unfinished = { error: 'state-unfinished' };
const none = { opened: null, refused: null, remade: null };
const perBundle = 8;

let serving: Record<Served, Serve>;

beforeAll(() => {
  serving = { calls: startServe('calls'), sessions: startServe('sessions') };
});

afterAll(async () => {
  for (const subject of subjects) await serving[subject].end();
});

/** States of the newest kept bundle of each plan, evenly spread. */
function keptStates(subject: Served): string[] {
  return bundlesOf[subject].flatMap((plan) => {
    const home = resolve('evidence/kept', plan);
    const cases = join(home, readdirSync(home).sort().at(-1) ?? '', 'data/cases');
    const states = readdirSync(cases).flatMap((id) =>
      readdirSync(join(cases, id))
        .map((snapshot) => join(cases, id, snapshot, 'state'))
        .filter((path) => existsSync(join(path, record[subject]))),
    );
    return states.filter((_, index) => index % Math.ceil(states.length / perBundle) === 0);
  });
}

/** With a living owner it would be refused, and a copy has none. */
function copyOf(state: string): string {
  const copy = emptyFolder();
  cpSync(state, copy, { recursive: true });
  return copy;
}

function recorded(subject: Served): string {
  const state = keptStates(subject).find((path) => existsSync(join(path, 'format.json')));
  if (state === undefined) throw new Error('No kept state is finished.');
  return copyOf(state);
}

/** What the inspector says, in the words of the serve role. A refusal by an exit code alone has no code here. */
async function inspected(subject: Served, state: string): Promise<ServeAnswer['opened'] | string | undefined> {
  const { answer } = await runRole({ subject, role: 'inspect', state, url: '' });
  if (answer?.status !== 'completed')
    return answer?.refusal?.error ?? (answer?.session_refusal ? answer.session_refusal.reason : undefined);
  const entries = (answer.events ?? answer.log?.frames ?? []) as { digest: string }[];
  return { entries: entries.length, digest: entries.at(-1)?.digest ?? '0'.repeat(64) };
}

describe.each(subjects)('%s', (subject) => {
  test('holds what the inspector exports, of states that killed processes left', async () => {
    const states = keptStates(subject);
    expect(states.length).toBeGreaterThan(perBundle);
    for (const state of states) {
      const said = await inspected(subject, state);
      const { opened, refused, remade } = await serving[subject].ask(copyOf(state));
      if (said === 'StateUnfinished') expect({ state, opened, refused }).toEqual({ state, opened: null, refused: unfinished });
      else expect({ state, opened, refused, remade }).toEqual({ state, opened: said, refused: null, remade: null });
    }
  });

  test('refuses what the inspector refuses', async () => {
    const cutAt = (size: number) => (path: string) => truncateSync(path, size);
    const damages: ((path: string) => void)[] = [cutAt(0), cutAt(100), rmSync, flipped(0), flipped(300), flipped(2100)];
    for (const [index, damage] of damages.entries()) {
      const state = recorded(subject);
      damage(join(state, record[subject]));
      const said = await inspected(subject, state);
      const { opened, refused } = await serving[subject].ask(copyOf(state));
      expect({ index, opened }).toEqual({ index, opened: typeof said === 'object' ? said : null });
      expect({ index, isRefused: refused !== null }).toEqual({ index, isRefused: typeof said !== 'object' });
    }
  });

  test('opens as an owner: what somebody else owns is refused, and free again afterwards', async () => {
    const state = recorded(subject);
    const lease = Lease.take(state);
    expect(await serving[subject].ask(state)).toEqual({ ...none, refused: { error: 'owner-alive' } });
    lease.release();
    expect(await serving[subject].ask(state)).toMatchObject({ refused: null });
    Lease.take(state).release();
  });

  test('appends nothing', async () => {
    const state = recorded(subject);
    const before = await inspected(subject, state);
    const answers = [await serving[subject].ask(state, true), await serving[subject].ask(state)];
    expect(answers).toEqual([1, 2].map(() => ({ ...none, opened: before })));
    expect(await inspected(subject, state)).toEqual(before);
  });

  test('makes what was never made, where it is asked to, and tells what it holds then', async () => {
    const [absent, unfinishedState] = [join(emptyFolder(), 'state'), emptyFolder()];
    writeFileSync(join(unfinishedState, `${record[subject]}.new`), '');
    expect(await serving[subject].ask(absent)).toEqual({ ...none, refused: { error: 'state-absent' } });
    expect(existsSync(absent)).toBe(false);
    const entries = subject === 'calls' ? 0 : 1;
    for (const [state, error] of [
      [absent, 'state-absent'],
      [unfinishedState, 'state-unfinished'],
    ] as const) {
      const { opened, refused, remade } = await serving[subject].ask(state, true);
      expect({ opened, refused, entries: remade?.entries }).toEqual({ opened: null, refused: { error }, entries });
      expect(await serving[subject].ask(state, true)).toEqual({ ...none, opened: remade });
      expect(await inspected(subject, state)).toEqual(remade);
    }
  });

  test('does not make what holds a record: the answer says why', async () => {
    const state = recorded(subject);
    rmSync(join(state, 'format.json'));
    expect(await serving[subject].ask(state, true)).toEqual({ ...none, refused: { error: 'directory-foreign' } });
  });

  test('keeps nothing: another state at the same place is another state', async () => {
    const state = recorded(subject);
    const { opened } = await serving[subject].ask(state);
    const empty = join(emptyFolder(), 'state');
    const { remade } = await serving[subject].ask(empty, true);
    const swaps = [empty, recorded(subject), empty];
    const answers: (ServeAnswer['opened'] | string | undefined)[] = [];
    for (const other of swaps) {
      rmSync(state, { recursive: true });
      expect((await serving[subject].ask(state)).refused).toEqual({ error: 'state-absent' });
      cpSync(other, state, { recursive: true });
      answers.push((await serving[subject].ask(state)).opened);
    }
    expect(answers).toEqual([remade, opened, remade]);
  });

  test('no descriptor is left over 1,000 states', async () => {
    const states = [recorded(subject), recorded(subject), join(emptyFolder(), 'nothing'), emptyFolder()];
    flipped(300)(join(states[1] ?? '', record[subject]));
    const counts = new Set<number>();
    for (let index = 0; index < 1000; index += 1) {
      await serving[subject].ask(states[index % states.length] ?? '');
      if (index >= 4) counts.add(serving[subject].descriptors());
    }
    expect(counts.size).toBe(1);
  }, 30_000);
});

const request = '{"make":false,"state":"/nowhere"}';

test.each([
  ['no JSON', 'make'],
  ['an empty line', ''],
  ['another order of members', '{"state":"/nowhere","make":false}'],
  ['a space', '{"make":false, "state":"/nowhere"}'],
  ['a member more', '{"make":false,"on":"x","state":"/nowhere"}'],
  ['a member of another kind', '{"make":0,"state":"/nowhere"}'],
  ['no folder', '{"make":false,"state":""}'],
  ['no UTF-8', Buffer.from('{"make":false,"state":"\xff"}', 'latin1')],
  ['too much', 'x'.repeat(1 << 20)],
])('%s is no request: what came before is answered, and the end is told in one sentence', async (_, line) => {
  const { code, stdout, stderr } = await serveAll('sessions', [`${request}\n`, line, `\n${request}\n`]);
  expect({ code, answers: stdout }).toEqual({
    code: 64,
    answers: '{"opened":null,"refused":{"error":"state-absent"},"remade":null}\n',
  });
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
});

test('it ends by itself with its input; a request that was cut is none', async () => {
  expect(await serveAll('calls', [request])).toMatchObject({ code: 64, stdout: '' });
  for (const subject of subjects) {
    expect(await serveAll(subject, [])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await serveAll(subject, [`${request}\n`])).toMatchObject({ code: 0, stderr: '' });
  }
});

function flipped(at: number): (path: string) => void {
  return (path) => {
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
  };
}
