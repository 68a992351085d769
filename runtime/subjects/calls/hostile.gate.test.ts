/**
 * Role programs where the machine is against them: files that may not be read, an owner that is stopped, a disk that fills up after the
 * state was opened. Real processes; the provider counts what reached it.
 */
import { execFileSync, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../core/digest.js';
import { available } from '../../testing/mechanism.js';
import { answers, answerText, respond, startProvider, type TestProvider } from '../../testing/provider.js';
import { emptyFolder, release, runRole, type Role } from '../../testing/roles.js';

let provider: TestProvider;

beforeEach(async () => {
  provider = await startProvider(answers);
});

afterEach(async () => {
  await provider.close();
});

/** Root may read everything, unless it gives that up. */
const withoutPrivileges = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
const modesCount = available(
  'setpriv',
  spawnSync(withoutPrivileges[0] ?? 'true', [...withoutPrivileges.slice(1), 'true']).status === 0,
);
const limitable = available('prlimit', spawnSync('prlimit', ['--version']).status === 0);

describe.runIf(modesCount)('what may not be read is never taken for absent, and left alone', () => {
  test.each(['.', '..', 'format.json', 'ledger.sqlite', 'ledger.sqlite-wal', 'lease.sqlite'])('mode 000 on %s', async (name) => {
    const state = join(emptyFolder(), 'state');
    await runRole({ role: 'produce', state, url: provider.url, checkpoint: 'call.manifest#1' });
    const path = join(state, name);
    const before = hashesIn(state);
    chmodSync(path, 0);
    const refused: Role[] = [];
    try {
      for (const role of ['produce', 'inspect', 'resume', 'restart'] as const)
        refused.push(await runRole({ role, state, url: provider.url, through: withoutPrivileges }));
    } finally {
      chmodSync(path, 0o700);
    }
    for (const { code, answer, stderr } of refused) {
      expect({ code, answer }).toEqual({ code: 64, answer: null });
      expect(stderr).toMatch(/cannot be (read|made)/);
    }
    // The lease is asked for before the first act; by then the ledger was opened, and closing it folds its log in.
    if (name !== 'lease.sqlite') expect(hashesIn(state)).toEqual(before);
    expect(provider.seen).toEqual([]);
    expect((await runRole({ role: 'resume', state, url: provider.url })).answer?.status).toBe('completed');
  });

  function hashesIn(folder: string): Record<string, string> {
    const names = readdirSync(folder).filter((name) => !name.endsWith('-shm'));
    return Object.fromEntries(names.map((name) => [name, sha256(readFileSync(join(folder, name)))]));
  }
});

test('an owner that is stopped in the middle of its request is never overtaken, and goes on when it may', async () => {
  let owner: ChildProcess | null = null;
  let stopped = (): void => undefined;
  const reached = new Promise<void>((resolve) => (stopped = resolve));
  let answer = (): void => undefined;
  const holding = await startProvider((socket, request) => {
    owner?.kill('SIGSTOP');
    answer = () => respond(answerText)(socket, request);
    stopped();
  }, answers);
  const state = emptyFolder();
  const produced = runRole({
    role: 'produce',
    state,
    url: holding.url,
    checkpoint: 'attempt.started#1',
    parked: (child) => {
      owner = child;
      release(child);
    },
  });
  await reached;
  answer();
  try {
    for (const role of ['inspect', 'restart', 'produce'] as const)
      expect(await runRole({ role, state, url: holding.url })).toMatchObject({
        code: 64,
        answer: { status: 'refused', refusal: { error: 'OwnerAlive' } },
      });
    // It decides before it asks for the lease, and what it reads allows nothing.
    expect((await runRole({ role: 'resume', state, url: holding.url })).answer).toMatchObject({
      status: 'refused',
      refusal: { error: 'ResumeRefused', operation: 'reconcile_effect', hazard: 'unsafe' },
    });
  } finally {
    (owner as ChildProcess | null)?.kill('SIGCONT');
  }
  expect(await produced).toMatchObject({ code: 0, answer: { status: 'completed', replayed: false } });
  expect(holding.seen).toHaveLength(1);
  expect((await runRole({ role: 'inspect', state, url: '' })).answer?.events).toHaveLength(14);
  await holding.close();
});

describe.runIf(limitable)('a disk that is full after the state was opened', () => {
  /** No byte can be added to any file any more. */
  const fill = (child: ChildProcess): void => {
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=1']);
    release(child);
  };

  test('is no refused input: exit code 70, nothing sent, and what was recorded stays', async () => {
    const state = emptyFolder();
    const role = await runRole({ role: 'produce', state, url: provider.url, checkpoint: 'call.manifest#1', parked: fill });
    expect(role).toMatchObject({ code: 70, answer: null, stderr: expect.stringContaining('The commit failed') });
    expect(provider.seen).toEqual([]);
    expect((await runRole({ role: 'inspect', state, url: '' })).answer?.events).toHaveLength(7);
    expect((await runRole({ role: 'resume', state, url: provider.url })).answer?.status).toBe('completed');
  });
});
