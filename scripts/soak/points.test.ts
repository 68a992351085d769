import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keptBundle } from '../kept.js';
import { noReach, pointsOf, reachIn, sumOfReach } from './points.js';

const bundle = mkdtempSync(join(tmpdir(), 'killpoint-points-'));
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

function put(snapshot: string, files: Readonly<Record<string, string>> = {}): void {
  const folder = join(bundle, 'data/cases', snapshot);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const trace = [
  '7 openat(AT_FDCWD, "<state>", O_RDONLY|O_DIRECTORY) = 3<<state>>',
  '7 openat(AT_FDCWD, "<state>/a", O_WRONLY|O_CREAT, 0666) = 4<<state>/a>',
  '8 rename("<state>/a", "<state>/b") = 0',
  '7 +++ exited with 0 +++',
  '',
].join('\n');
const derivation = JSON.stringify({
  ...{ items: 9, operations: 5, requests: 1, cuts: 10, left_out: 2, derived: 30, distinct: 12, examined: 12 },
  ...{ opened: 9, refused: 3, remade: 2, workers: 2 },
});

put('one/producer');
put('one/names', { 'trace.txt': trace });
put('one/names-openat-2');
put('one/names-openat-2-end');
put('one/names-rename-2');
put('one/failing', { 'trace.txt': trace });
put('one/power', { 'derivation.json': derivation });
put('one/power-n3-r0');
put('one/void');
put('two/again', { 'derivation.json': derivation });
put('two/names', { 'trace.txt': trace });
const arm = (id: string, role: string, crash: object): object => ({ id, role, crash });
const names = { model: 'syscall-kill', family: 'names' };
const power = { model: 'power-loss', persistence: 'ext4' };
const cases = [
  {
    id: 'one',
    arms: [
      arm('names', 'produce', names),
      arm('failing', 'resume', { ...names, model: 'io-fault' }),
      arm('power', 'produce', power),
      arm('void', 'resume', power),
      arm('races', 'resume', { model: 'race' }),
    ],
  },
  { id: 'two', arms: [arm('names', 'produce', names), arm('again', 'produce', power)] },
  { id: 'not-selected', arms: [arm('names', 'produce', names)] },
];
mkdirSync(join(bundle, 'data'), { recursive: true });
writeFileSync(join(bundle, 'data/plan.json'), JSON.stringify({ cases }));

describe('what the arms of a run reached', () => {
  it('are points by role and family, an open that creates nothing none of them, tried only where somebody carried on', () => {
    const { kills_before_calls, failing_calls } = reachIn(bundle);
    expect(kills_before_calls).toEqual({ producer: { names: { found: 4, tried: 1 } } });
    expect(failing_calls).toEqual({ resume: { names: { found: 2, tried: 0 } } });
  });

  it('are states by role, of all arms together; a void arm has none', () => {
    const one = { operations: 5, requests: 1, cuts: 10, cuts_left_out: 2, derived: 30, distinct: 12, recovered: 12 };
    const { power_loss } = reachIn(bundle);
    const twice = Object.fromEntries(Object.entries(one).map(([name, count]) => [name, 2 * count]));
    expect(power_loss).toEqual({ producer: { ...twice, refused: 6, made_anew: 4, carried_on: 1 }, resume: null });
  });

  it('are added up over runs', () => {
    const reach = reachIn(bundle);
    expect(sumOfReach(noReach(), reach)).toEqual(reach);
    expect(sumOfReach(reach, reach).kills_before_calls).toEqual({ producer: { names: { found: 8, tried: 2 } } });
  });
});

describe('of the kept bundles', () => {
  interface Ratchet {
    readonly family?: string;
    readonly every: number;
    readonly offset: number;
  }
  interface Plan {
    readonly cases: readonly { id: string; arms: readonly { id: string; crash?: Ratchet }[] }[];
  }

  it.each(['syscalls', 'syscalls-sessions', 'io-faults', 'io-faults-sessions'])(
    '%s tried, of the points that were found, those that its sample names',
    (plan) => {
      const kept = keptBundle(plan) ?? '';
      const planned = JSON.parse(readFileSync(join(kept, 'data/plan.json'), 'utf8')) as Plan;
      const ratchets = planned.cases.flatMap(({ id, arms }) =>
        arms.flatMap((one) =>
          one.crash?.family === undefined ? [] : [{ folder: join(kept, 'data/cases', id), one, crash: one.crash }],
        ),
      );
      expect(ratchets).not.toHaveLength(0);
      for (const { folder, one, crash } of ratchets) {
        const { found, tried } = pointsOf(folder, one);
        const sample = Array.from({ length: found }, (_, index) => index + 1).filter((nth) => nth % crash.every === crash.offset);
        expect({ arm: one.id, tried }).toEqual({ arm: one.id, tried: sample.length });
      }
    },
  );
});
