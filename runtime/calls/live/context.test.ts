/** Sizes, measured or estimated, and several compilations of one task that are asked for together. */
import { describe, expect, test } from 'vitest';
import { items, newFolder, open, types } from '../testing/folder.js';

describe('a tokenizer', () => {
  const measured = { context: { budgetTokens: 64, tokenizer: 'o200k_base' } } as const;

  test('measures every kind, names itself, and a size of the caller stays the caller’s', () => {
    const runtime = open(newFolder(), measured);
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    const control = { ...items[2], id: 'E', content: '<|endoftext|>' };
    const { totalTokens } = runtime.compile('task-1', {
      items: [...items, control, { ...control, id: 'F', tokens: 3 }],
      requiredIds: [],
    });
    const o200k = { name: 'o200k_base', version: 1 };
    expect(runtime.workState('task-1').compilations[0]?.offered.map(({ size }) => size)).toEqual([
      { basis: 'measured', bytes: 47, tokenizer: o200k, tokens: 7 },
      { basis: 'measured', bytes: 35, tokenizer: o200k, tokens: 8 },
      { basis: 'measured', bytes: 14, tokenizer: o200k, tokens: 3 },
      { basis: 'measured', bytes: 13, tokenizer: o200k, tokens: 7 },
      { basis: 'measured', bytes: 13, tokens: 3 },
    ]);
    expect(totalTokens).toBe(28);
    runtime.close();
  });

  test('that nobody knows is refused before anything is made', () => {
    const context = { budgetTokens: 64, tokenizer: 'p50k' as 'o200k_base' };
    expect(() => open(newFolder(), { context })).toThrow(expect.objectContaining({ code: 'input-invalid' }));
  });
});

describe.each(['each', 'grouped'] as const)('a fan-out (%s)', (commit) => {
  const offer = (requiredIds: string[]) => ({ items, requiredIds });

  test('is requested in one commit, and what became of each is recorded one by one', () => {
    const groups: string[][] = [];
    const runtime = open(newFolder(), { commit, onCommitted: (events) => void groups.push(events.map(({ type }) => type)) });
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    const { fanOutId, compilations } = runtime.compileFanOut('task-1', [offer(['A']), offer(['x']), offer([])]);
    expect(groups.slice(1)).toEqual([
      ['context.compilation_requested', 'context.compilation_requested', 'context.compilation_requested'],
      ['context.compiled'],
      ['context.compilation_failed'],
      ['context.compiled'],
    ]);
    expect(fanOutId).toBe('fan-out-2');
    expect(compilations).toMatchObject([
      { compilationId: 'compilation-2', compiled: { compilationId: 'compilation-2' }, error: null },
      { compilationId: 'compilation-3', compiled: null, error: expect.stringContaining('never offered: x') },
      { compilationId: 'compilation-4', compiled: { includedIds: ['A', 'B', 'D'] }, error: null },
    ]);
    const state = runtime.workState('task-1');
    expect(state.compilations.map(({ fan_out }) => fan_out)).toEqual(
      [1, 2, 3].map((index) => ({ id: 'fan-out-2', index, of: 3 })),
    );
    expect(state.task).toMatchObject({ next_operation: 'fix_inputs', on: 'compilation-3' });
    runtime.fixCompilation('compilation-3', offer(['A']));
    expect(runtime.workState('task-1').task.next_operation).toBe('none');
    runtime.close();
  });

  test('that died after its request is ended member by member', async () => {
    const folder = newFolder();
    const dying = open(folder, {
      commit,
      onCommitted: (events) => {
        if (events[0]?.type === 'context.compilation_requested') throw new Error('died');
      },
    });
    dying.createTask({ taskId: 'task-1', title: 'T' });
    expect(() => dying.compileFanOut('task-1', [offer(['A']), offer(['x'])])).toThrow('died');
    dying.close();
    const runtime = open(folder, { commit, create: false });
    expect(await runtime.recover()).toMatchObject({
      operations: ['recompile', 'recompile'],
      next: 'fix_inputs',
      on: 'compilation-3',
    });
    expect(types(runtime).slice(3)).toEqual(['context.compiled', 'context.compilation_failed']);
    runtime.close();
  });

  test('of nothing is refused', () => {
    const runtime = open(newFolder(), { commit });
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    expect(() => runtime.compileFanOut('task-1', [])).toThrow(expect.objectContaining({ code: 'input-invalid' }));
    runtime.close();
  });
});
