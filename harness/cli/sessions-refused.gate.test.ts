/** What a person is refused at a session: in which words, by which exit code, with nothing changed. Real state folders, the real roles. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inventoryOf } from '../io/inventory.js';
import { Person, run } from '../testing/person.js';
import { charge, chargingModel, sessionScenario } from '../testing/sessions.js';

const person = new Person();
let providerUrl = '';
let heard: string[] = [];
beforeAll(async () => {
  void person.installation;
  ({ url: providerUrl, heard } = await person.listening(chargingModel));
});
afterAll(() => person.remove());

const asking = sessionScenario([{ ...charge, approval: 'required' }]);

async function killedAt(place: string, scenario: object = sessionScenario([charge])): Promise<string> {
  const { state, kill } = await person.parked('sessions', scenario, place, providerUrl);
  await kill();
  return state;
}

describe('what is refused', () => {
  let session = '';
  let calls = '';
  beforeAll(async () => {
    session = await killedAt('model_step_finished#1');
    calls = person.stateOf('effect-unknown');
  });

  it.each<[string, RegExp, () => string[]]>([
    ['a command for calls', /holds a session, and "retry" is a command for calls/, () => ['retry', session]],
    ['another one', /holds a session, and "accept" is a command for calls/, () => ['accept', session, '--note', 'it reads well']],
    [
      'a message to calls',
      /holds calls, and "send" is a command for a session/,
      () => ['send', calls, '--run-id', 'r', '--text', 't'],
    ],
    ['an answer to calls', /holds calls, and "approve" is a command/, () => ['approve', calls, 'call-6']],
    ['a cancel of calls', /holds calls, and "cancel" is a command/, () => ['cancel', calls]],
    ['a dry run', /"resume" has no --dry-run on a session/, () => ['resume', session, '--dry-run']],
    ['an id', /one run that can be taken up: leave call-1 out/, () => ['resume', session, 'call-1']],
    ['a question about a key', /--lookup and --fence ask about a call/, () => ['recover', session, '--lookup']],
    ['a step without a provider', /run_tools sends a request, and no provider is named/, () => ['resume', session]],
    ['a provider from a variable that is not set', /no http or https URL/, () => ['resume', session, '--provider', '']],
    ['a text from one', /--text is empty/, () => ['send', session, '--run-id', 'r', '--text', '']],
    ['a name from one', /--by is empty/, () => ['approve', session, 'call-1', '--by', '']],
    ['a message without an id', /required option '--run-id/, () => ['send', session, '--text', 't']],
    [
      'an id that is none',
      /\/run_id is not an id/,
      () => ['send', session, '--run-id', 'a b', '--text', 't', '--provider', providerUrl],
    ],
  ])('%s, in one sentence', async (_name, sentence, words) => {
    const before = [session, calls].map((state) => inventoryOf(state, ['lease.sqlite', 'ledger.sqlite-shm']));
    await expect(person.killpoint(...words())).rejects.toThrow(sentence);
    expect([session, calls].map((state) => inventoryOf(state, ['lease.sqlite', 'ledger.sqlite-shm']))).toEqual(before);
  });

  it('with the way on: what the folder asks for', async () => {
    await expect(person.killpoint('retry', session)).rejects.toMatchObject({
      exitCode: 64,
      items: [expect.stringMatching(new RegExp(` state ${session}$`))],
    });
    await expect(person.killpoint('resume', session)).rejects.toMatchObject({
      exitCode: 64,
      items: expect.arrayContaining([expect.stringMatching(/ resume .* --provider "\$PROVIDER_URL"$/)]) as string[],
    });
  });

  it('another configuration, with the hint; a person first; and where another process owns it', async () => {
    const other = join(person.folder, 'other.json');
    writeFileSync(other, JSON.stringify(sessionScenario([charge], { model: 'synthetic-2' })));
    const drifted = await person.killpoint('resume', session, '--provider', providerUrl, '--scenario', other, '--json');
    expect(drifted.code).toBe(64);
    expect(JSON.parse(drifted.stdout)).toMatchObject({
      error: { code: 'operation-refused' },
      session_refusal: { reason: 'config_conflict', drift: ['model'] },
      hint: 'Without --scenario the recorded configuration is used.',
    });
    const { state, kill } = await person.parked('sessions', asking, 'run_paused#1', providerUrl);
    const owned = await person.killpoint('cancel', state, '--json').finally(() => void kill());
    expect([owned.code, (JSON.parse(owned.stdout) as { next: null }).next]).toEqual([64, null]);
    expect(owned.stdout).toMatch(/Another process owns/);
    const paused = await killedAt('run_paused#1', asking);
    const notAsked = await person.killpoint('approve', session, 'call-1');
    expect(notAsked).toMatchObject({ code: 64, stdout: '' });
    expect(notAsked.stderr).toMatch(/The call s-1\/run-1\/batch-3\/call-1 does not wait for an answer: it is pending\./);
    const nowhere = await person.killpoint('approve', session, 'call-9');
    expect(nowhere).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringMatching(/There is no call call-9 in/) as string,
    });
    const asked = await person.killpoint('resume', paused, '--provider', providerUrl);
    expect(asked).toMatchObject({ code: 64, stdout: '' });
    expect(asked.stderr).toMatch(/A person must answer about s-1\/run-1\/batch-3\/call-1 first[^]*approve/);
  });

  describe.runIf(process.getuid?.() === 0)('where nothing can be written', () => {
    const disk = join(person.folder, 'read-only');
    beforeAll(() => {
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'killpoint-test', disk]);
      cpSync(session, join(disk, 'session'), { recursive: true });
      cpSync(calls, join(disk, 'calls'), { recursive: true });
      execFileSync('mount', ['-o', 'remount,ro', disk]);
    });
    afterAll(() => void execFileSync('umount', [disk]));

    it.each<[string, string, () => string[]]>([
      ['session', 'resume', () => ['--provider', providerUrl]],
      ['session', 'send', () => ['--run-id', 'run-2', '--text', 'x', '--provider', providerUrl]],
      ['session', 'cancel', () => []],
      ['session', 'recover', () => ['--provider', providerUrl]],
      ['calls', 'recover', () => ['--lookup', '--provider', providerUrl]],
      ['calls', 'reconcile', () => ['--lookup', '--provider', providerUrl]],
    ])('a %s: %s says that, and not that it cannot be read', async (kind, command, words) => {
      const requests = heard.length;
      const told = await run(process.execPath, [person.main, command, join(disk, kind), ...words()]);
      expect(told).toMatchObject({ code: 64, stdout: '' });
      expect(told.stderr).toMatch(/^killpoint: \S+ cannot be written \(EROFS\)\. Nothing was changed; /);
      expect(heard).toHaveLength(requests);
      expect((await run(process.execPath, [person.main, 'state', join(disk, kind)])).code).toBe(0);
    });
  });

  it.each<[string, RegExp, (state: string) => void]>([
    [
      'empty',
      /session\.wal is damaged at byte 0: it holds no frame\. Nothing was changed; restore it from a copy\./,
      (state) => truncateSync(join(state, 'session.wal'), 0),
    ],
    [
      'shorter than a frame',
      /session\.wal is damaged at byte 0: it holds no frame\. Nothing was changed; restore it from a copy\./,
      (state) => truncateSync(join(state, 'session.wal'), 40),
    ],
    [
      'damaged',
      /session\.wal is damaged at byte 171: /,
      (state) => {
        const bytes = readFileSync(join(state, 'session.wal'));
        bytes[300] = (bytes[300] ?? 0) ^ 1;
        writeFileSync(join(state, 'session.wal'), bytes);
      },
    ],
    [
      'newer',
      /A newer version wrote \S+ this one does not read scope\/v1/,
      (state) => writeFileSync(join(state, 'wal-feature-floor'), '{"features":["scope/v1"],"version":"feature-floor/v1"}\n'),
    ],
  ])('a log that is %s: that, where, and nothing is changed', async (_name, told, harm) => {
    const state = await person.produced('sessions', sessionScenario([charge]), providerUrl);
    harm(state);
    const before = inventoryOf(state, ['lease.sqlite']);
    const looked = await run(process.execPath, [person.main, 'state', state]);
    expect(looked).toMatchObject({ code: 64, stdout: '' });
    expect(looked.stderr).toMatch(told);
    const acted = await person.killpoint('send', state, '--run-id', 'run-2', '--text', 'nothing', '--provider', providerUrl);
    expect(acted).toMatchObject({ code: 64, stdout: '', stderr: expect.stringMatching(told) as string });
    expect(inventoryOf(state, ['lease.sqlite'])).toEqual(before);
  });
});
