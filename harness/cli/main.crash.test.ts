/**
 * The command line as a person meets it: exit codes, one sentence, one JSON document; and `state` on real state folders.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Installation } from '../io/installation.js';
import { inventoryOf } from '../io/inventory.js';
import { builtInstallation, requestFor, subjectsFolder, temporaryFolder, toyPlan } from '../testing/plans.js';
import { Person } from '../testing/person.js';

let installation: Installation;
const folder = temporaryFolder();
beforeAll(() => {
  installation = builtInstallation();
});
afterAll(() => folder.remove());

const main = (...args: string[]) =>
  spawnSync(process.execPath, [join(installation.build, 'harness', 'cli', 'main.js'), ...args], {
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });

describe('run', () => {
  const toy = () => {
    const { planFile } = requestFor(toyPlan(), folder.path, installation);
    return main(
      'run',
      planFile,
      '--out',
      join(folder.path, 'runs'),
      '--exploratory',
      '--subject',
      join(subjectsFolder, 'toy'),
      '--json',
    );
  };

  it('leaves by the exit code of the verdict, and with --json prints one document', () => {
    const { status, stdout, stderr } = toy();
    const document = JSON.parse(stdout) as { verdict: 'valid' | 'invalid' | 'unknown'; bundle: string };
    expect(document).toMatchObject({ cases: 2, void: 0, kills: 1, confirmatory: false, wall_s: expect.any(Number) as number });
    expect(status).toBe({ valid: 0, invalid: 1, unknown: 2 }[document.verdict]);
    expect(stderr).toMatch(/^2 cases\n\[1\/2\] .*\n\[2\/2\] .*\n$/);
    const verdict = JSON.parse(readFileSync(`${document.bundle}.verdict.json`, 'utf8')) as { verdict: string };
    expect(verdict.verdict).toBe(document.verdict);
    expect(main('verify', document.bundle).status).toBe(status);
  });
});

describe('state', () => {
  let killed: string;
  let whileOwned: ReturnType<typeof main>;
  const person = new Person();
  beforeAll(async () => {
    const { kill, state } = await person.parkedAt('attempt.started', 'review');
    whileOwned = main('state', state);
    await kill();
    killed = state;
  });
  afterAll(() => person.remove());

  it('refuses while the owner lives', () => {
    const sentence = `killpoint: ${killed} is owned by a living process; its state can be read when that has ended.\n`;
    expect(whileOwned).toMatchObject({ status: 64, stdout: '', stderr: sentence });
  });

  it('shows the seven answers for people, and the projections as one document, and changes no byte', () => {
    const before = inventoryOf(killed);
    const text = main('state', killed);
    expect([text.status, text.stderr]).toEqual([0, '']);
    for (const question of ['attempted', 'inputs', 'required', 'failed', 'succeeded', 'unresolved', 'safe next'])
      expect(text.stdout).toMatch(new RegExp(`^  ${question} `, 'm'));
    expect(text.stdout).toMatch(/next reconcile_effect on call-6/);
    const { projections, subject } = JSON.parse(main('state', killed, '--json').stdout) as {
      projections: object[];
      subject: string;
    };
    expect(subject).toBe('calls');
    expect(projections).toMatchObject([{ version: 'work-state/v1', last_seq: 8, task: { next_operation: 'reconcile_effect' } }]);
    expect(inventoryOf(killed)).toEqual(before);
  });

  it.each<[string, (state: string) => void]>([
    ['without its ledger', (state) => rmSync(join(state, 'ledger.sqlite'))],
    ['with a truncated ledger', (state) => truncateSync(join(state, 'ledger.sqlite'), 100)],
  ])('refuses a folder %s in one sentence, and loses nothing', (name, spoil) => {
    const state = join(folder.path, name.replaceAll(' ', '-'));
    cpSync(killed, state, { recursive: true });
    spoil(state);
    const before = inventoryOf(state);
    const { status, stderr } = main('state', state);
    expect(status).toBe(64);
    expect(stderr).toMatch(/^killpoint: .* cannot be inspected\. .*\n$/);
    expect(inventoryOf(state)).toEqual(before);
  });
});
