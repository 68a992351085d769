/**
 * Crash model: zombie. An owner is stopped in the middle of its work, another process does its own, and the owner goes on.
 *
 * Fault model: a process that stands still for any length of time and knows nothing of it. A stopped owner keeps what the kernel gave it
 * (its lock, its open files); `defeat` takes the lock away as careless people do. The stop is proved before anything else happens, the
 * other has ended before the owner may go on, and the owner ends by itself. A folder that was moved away is kept, since only it holds
 * what the owner had recorded.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CaseVoid } from '../errors.js';
import type { Zombie } from '../plan/types.js';
import type { Moment } from '../process/timeline.js';
import { isStopped, resume, stop } from '../process/stop.js';
import { whyNotAnnounced } from './announced.js';
import type { CrashModel, Ended, Part, Scene } from './model.js';

/** A stop takes effect in moments; a process that runs after this long was not stopped. */
const stopMs = 5000;

export const zombie: CrashModel<Zombie> = {
  reasons: { exited: 'stop-not-proven', unproven: 'stop-not-proven' },
  cast: ({ stop: at, other }) => [
    { member: 'owner', parkedAt: { at: 'checkpoint', ...at } },
    { member: 'other', parkedAt: null, told: { operation: other.operation, input: other.input ?? null } },
  ],
  play: async (scene, cast, { defeat }) => {
    const [first, second] = cast as [Part, Part];
    const owner = scene.start(first);
    await owner.parked();
    if (!(await stop(owner.role, stopMs))) throw unproven('The owner did not stop.');
    if (defeat !== 'none') {
      defeats[defeat](scene, first);
      owner.role.timeline.mark('folder_defeated');
    }
    await scene.start(second).ended();
    if (!isStopped(owner.role)) throw unproven('The owner was stopped, and did not stay so.');
    owner.role.goOn();
    resume(owner.role);
    await owner.ended();
  },
  doubt: (all, { defeat }) => {
    const [owner, other] = all;
    if (owner === undefined || other === undefined) return unproven('Owner or other was never started.');
    const moments: Moment[] = ['announced', 'sigstop_sent', 'stopped', 'released', 'sigcont_sent', 'exit_seen'];
    if (defeat !== 'none') moments.splice(3, 0, 'folder_defeated');
    const missing = moments.find((what, index) => index > 0 && !owner.role.timeline.before(moments[index - 1] ?? what, what));
    if (missing !== undefined) return unproven(`Of the owner there is no "${missing}" in its place.`);
    const why = whyNotAnnounced(owner.role, owner.part);
    if (why !== null) return unproven(`The owner went on after it had announced: ${why}.`);
    return whileStopped(owner, other) ? null : unproven('The other process was not alone while the owner was stopped.');
  },
};

/** What is done to the lock of the state folder while its owner is stopped. */
const defeats: Record<Exclude<Zombie['defeat'], 'none'>, (scene: Scene, owner: Part) => void> = {
  'lease-deleted': ({ state }) => {
    const lease = join(state, 'lease.sqlite');
    if (!existsSync(lease)) throw unproven('There was no lease.sqlite to delete: the owner held no lock.');
    rmSync(lease);
  },
  'folder-replaced': (scene, owner) => replaceBy(scene.aside(owner), scene, owner),
  'folder-restored': (scene, owner) => {
    if (scene.begun === undefined) throw unproven('There is no earlier state to restore.');
    replaceBy(scene.begun, scene, owner);
  },
};

/** The owner keeps the folder that it opened, under a name that nobody knows; at its path lies another. */
function replaceBy(source: string, { state, aside, volatile, copy }: Scene, owner: Part): void {
  renameSync(state, aside(owner));
  copy(source, state, volatile);
}

function whileStopped(owner: Ended, other: Ended): boolean {
  const [begin, end] = [
    owner.role.timeline.at('folder_defeated') ?? owner.role.timeline.at('stopped'),
    owner.role.timeline.at('released'),
  ];
  const [from, to] = [other.role.timeline.at('spawned'), other.role.timeline.at('exit_seen')];
  return begin !== null && end !== null && from !== null && to !== null && begin <= from && to <= end;
}

function unproven(sentence: string): CaseVoid {
  return new CaseVoid('stop-not-proven', sentence);
}
