/**
 * Crash model: race. K processes carry out the same thing on one state, released together.
 *
 * Fault model: several recoverers of one record, none of which knows of the others. Each is parked before it reads, or (forced) when it
 * has read and not acted, which is the worst moment: all of them act on the same projection. They are released in one synchronous
 * stretch. A round counts only if two of them at least were at once between their release and their exit.
 */
import { CaseVoid } from '../errors.js';
import type { Race } from '../plan/types.js';
import { whyNotAnnounced } from './announced.js';
import type { CrashModel, Ended } from './model.js';

export const race: CrashModel<Race> = {
  reasons: { exited: 'race-not-proven', unproven: 'race-not-proven' },
  cast: ({ racers, forced }) =>
    Array.from({ length: racers }, (_none, index) => ({
      member: `racer-${index + 1}`,
      parkedAt: { at: 'checkpoint', checkpoint: forced ? 'projection.read' : 'role.ready', occurrence: 1 },
    })),
  play: async (scene, cast) => {
    const racers = cast.map((part) => scene.start(part));
    await Promise.all(racers.map((racer) => racer.parked()));
    for (const { role } of racers) role.goOn();
    await Promise.all(racers.map((racer) => racer.ended()));
  },
  doubt: (all, { racers }) => {
    if (all.length !== racers) return unproven(`${all.length} of ${racers} racers were started.`);
    for (const { role, part } of all) {
      const { timeline } = role;
      const ran = timeline.before('announced', 'released') && timeline.before('released', 'exit_seen');
      const why = whyNotAnnounced(role, part) ?? (ran ? null : 'it was not released between its announcement and its exit');
      if (why !== null) return unproven(`${part.member} was no racer: ${why}.`);
    }
    const last = latest(all.map(({ role }) => role.timeline.at('announced')));
    const early = all.find(({ role }) => (role.timeline.at('released') ?? last) <= last);
    if (early !== undefined) return unproven(`${early.part.member} was released before all were there.`);
    const most = overlapOf(all);
    return most < 2 ? new CaseVoid('no-overlap', 'No two racers were at once between their release and their exit.') : null;
  },
};

/** The largest number of processes that were between their release and their exit at one moment. */
export function overlapOf(all: readonly Pick<Ended, 'role'>[]): number {
  const spans = all.flatMap(({ role: { timeline } }) => {
    const [from, to] = [timeline.at('released'), timeline.at('exit_seen')];
    return from === null || to === null ? [] : [{ from, to }];
  });
  // The number rises only where somebody is released, so one of those moments has the most.
  return Math.max(0, ...spans.map(({ from: moment }) => spans.filter(({ from, to }) => from <= moment && moment < to).length));
}

function latest(moments: readonly (bigint | null)[]): bigint {
  return moments.reduce<bigint>((last, moment) => (moment !== null && moment > last ? moment : last), 0n);
}

function unproven(sentence: string): CaseVoid {
  return new CaseVoid('race-not-proven', sentence);
}
