/**
 * What several processes did at once, by the harness's clock: racers are released after all have announced, and at least two are
 * between their release and their exit at one moment; while an owner is stopped, the other lives its whole life.
 */
import type { Group, Process } from '../contract/types.js';
import type { Snapshot } from '../read/bundle.js';
import { need } from './check.js';

type Moment = Process['timeline'][number]['what'];

/** Null where nothing is wrong; a moment that is not there is named by its own process. */
export function groupWrong({ roles, planned }: Snapshot, { overlap }: Group): string | null {
  const [first, second] = roles.map(({ process }) => need(process));
  if (planned.crash?.model === 'race')
    return raceWrong(
      roles.map(({ process }) => need(process)),
      overlap,
    );
  if (first === undefined || second === undefined || planned.crash === null) return null;
  if (overlap !== 0) return 'A stopped owner raced with nobody.';
  const stopped = at(first, planned.crash.defeat === 'none' ? 'stopped' : 'folder_defeated');
  const [from, to, released] = [at(second, 'spawned'), at(second, 'exit_seen'), at(first, 'released')];
  if (stopped === null || from === null || to === null || released === null) return null;
  return stopped <= from && to <= released ? null : 'The other process was not alone while the owner was stopped.';
}

function raceWrong(racers: readonly Process[], recorded: number): string | null {
  const announced = racers.flatMap((racer) => at(racer, 'announced') ?? []);
  const spans = racers.flatMap((racer) => {
    const [from, to] = [at(racer, 'released'), at(racer, 'exit_seen')];
    return from === null || to === null ? [] : [{ from, to }];
  });
  if (announced.length < racers.length || spans.length < racers.length) return null;
  if (spans.some(({ from }) => announced.some((moment) => moment >= from)))
    return 'A racer was released before all had announced.';
  // The number rises only where somebody is released, so one of those moments has the most.
  const most = Math.max(0, ...spans.map(({ from: now }) => spans.filter(({ from, to }) => from <= now && now < to).length));
  if (most !== recorded) return `At one moment ${most} racers were between release and exit; recorded is ${recorded}.`;
  return most < 2 ? 'No two racers were at once between their release and their exit.' : null;
}

function at({ timeline }: Process, wanted: Moment): bigint | null {
  const found = timeline.find(({ what }) => what === wanted);
  return found === undefined ? null : BigInt(found.monotonic_ns);
}
