/** What a person states or gives, hostile: refused in a sentence, with nothing recorded and nothing sent; and recorded as it is where it is odd but true. */
import { describe, expect, test } from 'vitest';
import type { Runtime } from '../api/runtime.js';
import { RuntimeError } from '../../core/errors.js';
import { items, newFolder, open } from '../testing/folder.js';
import { diedAfter, goOn } from '../testing/stages.js';

const half = 'a\ud800';
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
const bytes = Buffer.from('no');
const good = { by: 'operator', finding: 'served', note: '' };
const proto: unknown = JSON.parse('{"__proto__": {"by": "operator"}, "finding": "unknown", "note": ""}');

const odd = [undefined, null, '', half, 5, Number.NaN, -0, [], {}, cycle, true, 10n, Symbol('x'), () => undefined];
const everyOddMember = (base: object, name: string): object[] => odd.map((value) => ({ ...base, [name]: value }));

async function refusesEach(runtime: Runtime, act: (input: never) => unknown, inputs: readonly unknown[]): Promise<void> {
  const before = runtime.events().length;
  for (const [index, input] of inputs.entries()) {
    const run = async (): Promise<unknown> => act(input as never);
    const ended: unknown = await run().catch((error: unknown) => error);
    expect(ended, `input ${index}`).toBeInstanceOf(RuntimeError);
    expect((ended as RuntimeError).code, `input ${index}: ${String(ended)}`).toBe('input-invalid');
  }
  expect(runtime.events().length).toBe(before);
}

describe.each(['each', 'grouped'] as const)('%s', (commit) => {
  const at = async (type: string, changes = {}) =>
    goOn((await diedAfter(type, undefined, changes)).folder, undefined, { commit });

  test('a statement', async () => {
    const { runtime, sent } = await at('attempt.started');
    const response = { status: 200, contentType: null, bytes };
    const responses = [
      ...everyOddMember(response, 'status'),
      { ...response, status: 99 },
      { ...response, status: 1000 },
      { ...response, status: 200.5 },
      ...everyOddMember(response, 'bytes'),
      { ...response, bytes: 'text' },
      { ...response, contentType: half },
      { ...response, contentType: 5 },
      { ...response, contentType: undefined },
    ];
    await refusesEach(runtime, (statement) => runtime.reconcile('call-6', { statement }), [
      null,
      5,
      'served',
      [],
      proto,
      ...everyOddMember(good, 'by'),
      ...everyOddMember(good, 'finding'),
      { ...good, finding: 'constructor' },
      ...odd.filter((note) => note !== '').map((note) => ({ ...good, note })),
      { ...good, finding: 'unknown', response },
      ...responses.map((one) => ({ ...good, response: one })),
      ...odd.filter((one) => one !== undefined).map((one) => ({ ...good, response: one })),
    ]);
    expect(
      await runtime.reconcile('call-6', { statement: { by: '\0', finding: 'unknown', note: 'n'.repeat(1_000_000) } }),
    ).toEqual({
      finding: 'unknown',
      reason: 'stated',
    });
    await refusesEach(runtime, (decision) => runtime.acceptDuplicate('call-6', decision), [
      undefined,
      null,
      5,
      ...everyOddMember({ by: 'operator', note: '' }, 'by'),
      ...odd.filter((note) => note !== '').map((note) => ({ by: 'operator', note })),
    ]);
    expect(sent).toEqual([]);
    runtime.close();
  });

  test('a version of the interpreter', async () => {
    const { runtime } = await at('attempt.observed');
    const versions = [0, -1, 3, 1.5, '1', Number.NaN, -0, {}, [1]];
    await refusesEach(runtime, (interpreterVersion) => runtime.reinterpret('call-6', { interpreterVersion }), versions);
    runtime.close();
  });

  test('inputs that are to fix a call', async () => {
    const { runtime, sent } = await at('call.preparation_failed', { maxRequestBytes: 10 });
    const instructions = odd.filter((one) => one !== undefined);
    await refusesEach(runtime, (inputs) => runtime.fixCall('call-6', inputs), [
      null,
      5,
      ...instructions.map((instruction) => ({ instruction })),
    ]);
    for (const compilationId of ['', 'call-6', '__proto__', 'compilation-99'])
      await expect(runtime.fixCall('call-6', { compilationId })).rejects.toMatchObject({ code: 'compilation-unknown' });
    expect(sent).toEqual([]);
    runtime.close();
  });

  test('inputs that are to fix a compilation', async () => {
    const runtime = open(newFolder(), { commit, context: { budgetTokens: 64, tokenizer: 'o200k_base' } });
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    expect(() => runtime.compile('task-1', { items: [], requiredIds: ['x'] })).toThrow();
    const [item] = items;
    await refusesEach(runtime, (context) => runtime.fixCompilation('compilation-2', context), [
      undefined,
      null,
      5,
      {},
      ...odd.filter((one) => !Array.isArray(one)).map((one) => ({ items: one, requiredIds: [] })),
      ...odd.filter((one) => !Array.isArray(one)).map((one) => ({ items: [], requiredIds: one })),
      ...odd.map((one) => ({ items: [one], requiredIds: [] })),
      ...odd.map((one) => ({ items: [], requiredIds: [one] })),
      ...['id', 'kind', 'required', 'content'].flatMap((name) =>
        everyOddMember(item, name)
          .filter(
            (one) =>
              (one as Record<string, unknown>)[name] !== true &&
              !(name === 'content' && (one as Record<string, unknown>)[name] === ''),
          )
          .map((one) => ({ items: [one], requiredIds: [] })),
      ),
      ...odd.filter((one) => !Array.isArray(one)).map((lineage) => ({ items: [{ ...item, lineage }], requiredIds: [] })),
      ...odd.filter((one) => one !== undefined && one !== 5).map((tokens) => ({ items: [{ ...item, tokens }], requiredIds: [] })),
    ]);
    runtime.close();
  });

  test('an id is never that of something else', async () => {
    const { runtime, sent } = await at('attempt.started');
    const before = runtime.events().length;
    const acts: ((id: never) => unknown)[] = [
      (id) => runtime.resumeCall(id),
      (id) => runtime.recompile(id),
      (id) => runtime.fixCompilation(id, { items: [], requiredIds: [] }),
      (id) => runtime.fixCall(id, {}),
      (id) => runtime.reinterpret(id),
      (id) => runtime.redecide(id),
      (id) => runtime.startNextAttempt(id),
      (id) => runtime.finalize(id),
      (id) => runtime.reconcile(id),
      (id) => runtime.acceptDuplicate(id, { by: 'x', note: '' }),
      (id) => runtime.accept(id, { by: 'x' }, {}),
      (id) => runtime.recover(id),
      (id) => runtime.dryRun('finalize', id),
    ];
    for (const act of acts)
      for (const id of ['', '__proto__', 'constructor', 'attempt-8', half, 5, {}, Number.NaN] as never[]) {
        const run = async (): Promise<unknown> => act(id);
        const ended: unknown = await run().catch((error: unknown) => error);
        expect(ended, `${String(act)} ${String(id)}`).toBeInstanceOf(RuntimeError);
      }
    for (const operation of ['none', 'decide', 'constructor', '', undefined] as never[])
      expect(() => runtime.dryRun(operation, 'call-6')).toThrow(RuntimeError);
    expect([runtime.events().length, sent.length]).toEqual([before, 0]);
    runtime.close();
  });
});
