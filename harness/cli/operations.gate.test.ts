/**
 * The operations done for real, and refused: what is said, where, and by which exit code. Most commands are parsed and carried out in this
 * process; the printed line itself, and Ctrl-C, are shown with the program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inventoryOf } from '../io/inventory.js';
import { cases, checkout, documentOf, Person, run } from '../testing/person.js';

const person = new Person();
beforeAll(() => void person.installation);
afterAll(() => person.remove());

describe('done for real', () => {
  const answer = { choices: [{ finish_reason: 'stop', message: { content: 'It is fine.' } }] };

  it('the printed line, in a shell, carries it out once and prints the next', async () => {
    const provider = await person.listening((_request, response) => response.end(JSON.stringify(answer)));
    const state = person.stateOf('manifest-resumed');
    const launcher = `node ${join(checkout, 'bin', 'killpoint.js')}`;
    const lines = (text: string): string[] => text.split('\n').filter((line) => line.startsWith(`  ${launcher} `));
    const [line = ''] = lines((await run(process.execPath, [person.main, 'state', state])).stdout);
    expect(line).toContain(` resume ${state} call-6 --provider "$PROVIDER_URL"`);
    const done = await run('sh', ['-c', line], { PROVIDER_URL: provider.url });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const again = await person.killpoint('resume', state, 'call-6', '--provider', provider.url);
    expect(again).toMatchObject({ code: 64, stdout: '' });
    expect(provider.heard).toHaveLength(1);
    const [accept = ''] = lines(done.stdout);
    expect(accept).toMatch(/ accept .* --note "\$WHY"$/);
    const accepted = await run('sh', ['-c', `${accept} --json`], { WHY: 'it reads well' });
    expect(documentOf(accepted)).toMatchObject({ status: 'completed', operations: ['check_and_accept'], effect_unknown: false });
    expect((await person.projected(state)).task).toMatchObject({ stage: 'accepted', next_operation: 'none' });
  });

  it('recover tells its first step, and goes on to where a person is needed', async () => {
    const state = person.stateOf('attempt-interpreted');
    const dry = await person.killpoint('recover', state, '--dry-run');
    expect(dry.stdout).toMatch(/would append {2}attempt\.retry_decided\n.*nothing\nThat is its first step/);
    const recovered = await person.killpoint('recover', state, '--json');
    expect([recovered.code, documentOf(recovered).operations]).toEqual([0, ['redecide', 'finalize']]);
    expect(documentOf(recovered).next[0]).toMatchObject({ operation: 'check_and_accept' });
  });

  it('a provider that cannot tell leaves the effect unknown: exit 2, and the choices are printed', async () => {
    const asked = await person.killpoint(
      'reconcile',
      person.stateOf('effect-unknown'),
      '--lookup',
      '--provider',
      'http://127.0.0.1:9',
    );
    expect(asked).toMatchObject({ code: 2, stderr: '' });
    expect(asked.stdout).toMatch(/unknown \(unreachable\)/);
    expect(asked.stdout).toMatch(/next decide on call-6/);
    expect(asked.stdout).toMatch(/ accept .* --duplicate /);
  });

  it('a call that ends in failure was carried out, and is no success: exit 1', async () => {
    const failing = await person.listening((_request, response) => response.writeHead(500).end('no'));
    const failed = await person.killpoint('resume', person.stateOf('manifest-resumed'), '--provider', failing.url, '--json');
    expect(failed.code).toBe(1);
    expect(documentOf(failed)).toMatchObject({ status: 'failed', operations: ['start_call'], effect_unknown: false });
  });

  it('interrupted while the request is on its way: exit 2, and what is known', async () => {
    const holding = await person.listening(() => undefined);
    const state = person.stateOf('manifest-resumed');
    const args = [person.main, 'resume', state, '--provider', holding.url];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    await once(holding.server, 'request');
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(2);
    expect(said).toMatch(/was interrupted.* The effect is unknown/);
    expect(said).toMatch(/ reconcile .* --lookup /);
    expect((await person.projected(state)).calls.at(-1)?.stage).toBe('effect_unknown');
  });
});

describe('what is refused', () => {
  // A bundle in small: what must not act on evidence is not tried on the evidence that is kept.
  const bundle = join(person.folder, 'bundle');
  const call = join(bundle, 'data', 'cases', 'effect-unknown', 'producer', 'state');
  beforeAll(() => {
    cpSync(join(cases, 'effect-unknown', 'producer', 'state'), call, { recursive: true });
    writeFileSync(join(bundle, 'bagit.txt'), '');
  });
  it.each<[string, RegExp, string[]]>([
    ['asking and stating', /cannot be used with option/, ['reconcile', call, '--lookup', '--finding', 'served']],
    ['a finding that is none', /Allowed choices are served/, ['reconcile', call, '--finding', 'perhaps']],
    ['a response without served', /goes with --finding served/, ['reconcile', call, '--finding', 'unknown', '--response', '/x']],
    ['a status without a response', /goes with --response/, ['reconcile', call, '--finding', 'served', '--status', '200']],
    ['a file that is no JSON', /is not JSON/, ['fix-inputs', call, '--inputs', import.meta.filename]],
    ['a file that is not there', /\/nowhere cannot be read/, ['fix-inputs', call, '--inputs', '/nowhere']],
    ['a note from a variable that is not set', /--note is empty/, ['accept', call, '--note', '']],
    ['a note of blanks', /--note is empty/, ['accept', call, '--reject', '--note', ' \t']],
    ['an acceptance without a reason', /^Say why with --note, which is recorded\.$/, ['accept', call]],
    ['a rejection without one', /^Say why with --note, which is recorded\.$/, ['accept', call, '--reject']],
    ['a duplicate without one', /^Say why with --note, which is recorded\.$/, ['accept', call, '--duplicate', '--dry-run']],
    ['a finding without one', /^Say why with --note, which is recorded\.$/, ['reconcile', call, '--finding', 'unknown']],
    ['a response from one', /--response is empty/, ['reconcile', call, '--finding', 'served', '--response', '']],
    ['inputs from one', /--inputs is empty/, ['fix-inputs', call, '--inputs', '']],
    ['a provider where nothing is sent', /unknown option '--provider'/, ['finalize', call, '--provider', 'http://127.0.0.1:9']],
    ['both verdicts', /cannot be used with option/, ['accept', call, '--reject', '--duplicate']],
    ['evidence', /is evidence, and nobody acts on that/, ['retry', call, '--dry-run']],
    ['no state folder', /is not a state folder/, ['retry', person.folder]],
  ])('%s, in one sentence', async (_name, sentence, words) => {
    const before = inventoryOf(call);
    await expect(person.killpoint(...words)).rejects.toThrow(sentence);
    expect(inventoryOf(call)).toEqual(before);
  });

  it('evidence, with a line that copies it to where nothing lies yet', async () => {
    const desk = join(person.folder, 'desk');
    mkdirSync(join(desk, 'killpoint-state'), { recursive: true });
    const refused = await run('sh', ['-c', `cd ${desk} && ${process.execPath} ${person.main} retry ${call}`]);
    expect(refused.code).toBe(64);
    const [, line = ''] = refused.stderr.split('\n');
    expect(await run('sh', ['-c', `cd ${desk} && ${line}`])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(inventoryOf(join(desk, 'killpoint-state-2'))).toEqual(inventoryOf(call));
    expect(inventoryOf(join(desk, 'killpoint-state'))).toEqual([]);
  });

  it('an empty provider, an id that is nowhere, and a scenario that is none', async () => {
    const state = person.stateOf('effect-unknown');
    await expect(person.killpoint('retry', state, '--provider', '')).rejects.toThrow('no http or https URL');
    await expect(person.killpoint('retry', state, 'call-99')).rejects.toMatchObject({
      code: 'operation-refused',
      exitCode: 64,
      message: expect.stringContaining('There is no call-99') as string,
      items: expect.arrayContaining(['task review-1: next reconcile_effect on call-6']) as string[],
    });
    await expect(person.killpoint('retry', state, '--scenario', join(checkout, 'package.json'))).rejects.toThrow(
      'The scenario is not valid',
    );
  });

  it('another operation than the record names: exit 64, with the command for the one that it names', async () => {
    const refused = await person.killpoint('retry', person.stateOf('effect-unknown'), '--json');
    expect(refused.code).toBe(64);
    const { refusal, operations, next } = documentOf(refused);
    expect({ refusal, operations }).toMatchObject({
      refusal: { operation: 'reconcile_effect', hazard: 'unsafe' },
      operations: [],
    });
    expect(next[0]?.commands[0]?.line).toMatch(/ reconcile /);
  });

  it('a reconciliation that nobody said how to do: how the provider is asked', async () => {
    for (const name of ['reconcile', 'recover']) {
      const refused = await person.killpoint(name, person.stateOf('effect-unknown'), '--json');
      expect(refused.code).toBe(64);
      expect(documentOf(refused).hint).toMatch(/by --lookup or --fence/);
    }
  });

  it('where another process owns the state: that, and nothing that could not be done either', async () => {
    const { state, kill } = await person.parkedAt('attempt.started', 'review');
    const refused = await person.killpoint('recover', state, '--json').finally(() => void kill());
    expect(refused.code).toBe(64);
    expect(documentOf(refused)).toMatchObject({
      next: null,
      hint: `${state} is owned by a living process; its state can be read when that has ended.`,
    });
  });

  it('a dry run of what is refused because of a living owner, for the same reason', async () => {
    const { state, kill } = await person.parkedAt('attempt.started', 'review');
    const dry = await person.killpoint('reconcile', state, '--lookup', '--dry-run', '--json').finally(() => void kill());
    expect([dry.code, documentOf(dry).would]).toEqual([64, null]);
    expect(documentOf(dry)).toMatchObject({ refusal: { error: 'OwnerAlive' } });
  });

  it('a recovery of what is owned, also where nothing is open yet', async () => {
    const { state, kill } = await person.parkedAt('task.created', 'review');
    await expect(person.killpoint('recover', state).finally(() => void kill())).rejects.toMatchObject({
      code: 'owner-alive',
      exitCode: 64,
      message: expect.stringMatching(/^Nothing was done: .* is owned by a living process/) as string,
    });
  });
});
