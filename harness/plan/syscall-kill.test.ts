import { describe, expect, it } from 'vitest';
import { killedCase } from '../testing/plans.js';
import { isKilled, snapshotsOf } from './snapshots.js';
import { type Call, endOf, pointsOf } from './syscall-kill.js';
import type { IoFault, PlannedArm, PlannedSnapshot, Ratchet, SyscallKill } from './types.js';

const call = (name: string, path = 'log', mayChange = true): Call => ({ name, mayChange, paths: [path] });
const calls = [
  call('openat', '', false),
  call('openat'),
  call('rename', 'log.new'),
  call('openat'),
  call('unlink'),
  call('openat', '', false),
];

function ratchet(more: Partial<SyscallKill> = {}): SyscallKill {
  return { model: 'syscall-kill', family: 'names', every: 1, offset: 0, carry_on: 'recover', outcomes: ['undecided'], ...more };
}

const faults = (lasting: boolean): IoFault => ({ ...ratchet(), model: 'io-fault', error: 'ENOSPC', lasting });

function arm(role: PlannedArm['role'], crash: Ratchet = ratchet()): PlannedSnapshot {
  const expect_ = { ended: 'completed', events: 0, receipts: 0, effects: 0, outcome: 'undecided' } as const;
  const [, found] = snapshotsOf(killedCase('case', 'good', undefined, [{ id: 'arm', role, crash, expect: expect_ }]));
  if (found === undefined) throw new Error('An arm is a snapshot.');
  return found;
}

const names = (crash: SyscallKill): string[] => pointsOf(arm('produce', crash), crash, calls).map(({ snapshot }) => snapshot);

describe('a ratchet', () => {
  it('is its own run, watched; a producer under it is a fresh one, a resume begins with the producer', () => {
    expect(arm('produce')).toMatchObject({ from: null, kill: null, traced: { call: null, reached: false } });
    expect(arm('resume')).toMatchObject({ from: 'producer' });
  });

  it('has a point for each call that may change something, counted among all of its name, and then one behind each name', () => {
    expect(names(ratchet())).toEqual([
      ...['arm-openat-2', 'arm-rename-1', 'arm-openat-3', 'arm-unlink-1'],
      ...['arm-openat-5', 'arm-rename-2', 'arm-unlink-2'],
    ]);
  });

  it.each([
    [2, 0, ['arm-rename-1', 'arm-unlink-1']],
    [2, 1, ['arm-openat-2', 'arm-openat-3']],
    [9, 4, ['arm-unlink-1']],
    [9, 5, []],
  ])('with every %i and offset %i has a sample, and all that lies behind', (every, offset, sample) => {
    expect(names(ratchet({ every, offset }))).toEqual([...sample, 'arm-openat-5', 'arm-rename-2', 'arm-unlink-2']);
  });

  it('follows every file that the watched run touched', () => {
    const [point] = pointsOf(arm('produce'), ratchet(), calls);
    expect(point?.traced).toEqual({
      family: 'names',
      call: { name: 'openat', nth: 2 },
      paths: ['', 'log', 'log.new'],
      fault: null,
      reached: true,
    });
  });

  it('of faults has the same points, none of which is killed', () => {
    const crash = faults(true);
    const watched = arm('produce', crash);
    const points = pointsOf(watched, crash, calls);
    const killed = pointsOf(arm('produce'), ratchet(), calls);
    expect(points.map(({ snapshot }) => snapshot)).toEqual(killed.map(({ snapshot }) => snapshot));
    expect([watched, ...points].map(({ traced }) => traced?.fault)).toEqual(Array(8).fill({ error: 'ENOSPC', lasting: true }));
    expect(points.map(({ traced }) => traced?.reached)).toEqual([true, true, true, true, false, false, false]);
    expect([...points.map(isKilled), ...killed.map(isKilled)].filter(Boolean)).toHaveLength(4);
  });

  it.each([
    ['recover', 'produce', true, { role: 'resume', operation: 'recover' }],
    ['resume', 'produce', true, { role: 'resume', operation: null }],
    ['produce', 'produce', true, { role: 'produce', operation: null }],
    ['recover', 'produce', false, { role: 'produce', operation: null }],
    ['recover', 'resume', true, { role: 'resume', operation: null }],
  ] as const)('with carry_on %s has a %s (finished: %s) carried on by that', (carryOn, role, finished, wanted) => {
    const [point] = pointsOf(arm(role), ratchet(), calls);
    const end = endOf(point as PlannedSnapshot, ratchet({ carry_on: carryOn }), finished);
    expect(end).toMatchObject({ snapshot: 'arm-openat-2-end', from: 'arm-openat-2', traced: null, kill: null, ...wanted });
  });
});
