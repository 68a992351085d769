/**
 * A real disk that is full in the middle of a commit: space comes back, and the process lives on. It has lost the right to append; the next
 * one finds every commit that was acknowledged, and nothing that was not.
 */
import { describe, expect, test } from 'vitest';
import { smallDisk, smallDisks } from '../../testing/small-disk.js';
import { answered, open, prepare, scripted } from '../testing/folder.js';

// The index of SQLite's log alone takes 32 KiB, so that 64 hold no more than the making of a ledger.
describe.runIf(smallDisks)('a ledger on a small disk', () => {
  test.each([
    [512, 0],
    [512, 4096],
    [512, 40_960],
    [128, 4096],
    [96, 0],
  ])('of %i KiB of which %i bytes are left', async (kibibytes, spare) => {
    const { sent, transport } = scripted(answered);
    const disk = smallDisk(kibibytes);
    const runtime = open(disk.folder, { transport });
    const wanted = prepare(runtime);
    let acknowledged = runtime.events().length;
    disk.fill(spare);
    const failure = (): unknown => {
      try {
        for (let n = 2; n < 100; n++) {
          runtime.recordObjective(wanted.taskId, { objectiveId: `objective-${n}`, statement: 'x'.repeat(9000) });
          acknowledged += 1;
        }
        return null;
      } catch (error) {
        return error;
      }
    };
    expect(failure()).toMatchObject({ code: 'ledger-failed' });

    disk.free();
    await expect(runtime.call(wanted)).rejects.toMatchObject({ code: 'ledger-failed' });
    expect(() => runtime.createTask({ taskId: 'task-2', title: 'Another' })).toThrow(
      expect.objectContaining({ code: 'ledger-failed' }) as Error,
    );
    runtime.close();
    expect(sent).toEqual([]);

    const next = open(disk.folder, { transport });
    expect(next.events()).toHaveLength(acknowledged);
    expect(await next.call(wanted)).toMatchObject({ outcome: 'succeeded' });
    expect(sent).toHaveLength(1);
    next.close();
  });
});
