/** The frames of a bundle, once each with every folder that holds them, and what is different about each. */
import { textSha256 } from '../../../read/hash.js';
import type { SessionFrame } from '../../../read/session-records.js';
import type { Good } from '../operator.js';
import { fewOf, traitsOf } from './events.js';
import { logsIn, type LogCopy } from './log-copies.js';

export interface ToldFrame {
  readonly frame: SessionFrame;
  /** All that hold it, whoever appended it first. */
  readonly copies: readonly LogCopy[];
  readonly traits: readonly string[];
  /** The snapshot that appended it, for people. */
  readonly where: string;
}

export function everyFrame(good: Good): ToldFrame[] {
  const all = good.bundle.cases.flatMap((one): ToldFrame[] =>
    [...byBeginning(logsIn(one)).values()].flatMap(({ frame, copies }) => {
      const [copy] = copies;
      if (copy === undefined) return [];
      const where = `${copy.snapshot.caseId}/${copy.snapshot.name}`;
      return [{ frame, copies, traits: traitsOfFrame(good, copies, copy, frame), where }];
    }),
  );
  return fewOf(all, ({ frame, traits }) => `${frame.type} ${traits.join(' ')}`);
}

/** Every frame with the folders that hold it behind the same ones: a frame covers itself alone. */
function byBeginning(copies: readonly LogCopy[]): Map<string, { readonly frame: SessionFrame; readonly copies: LogCopy[] }> {
  const held = new Map<string, { readonly frame: SessionFrame; readonly copies: LogCopy[] }>();
  for (const copy of copies) {
    let beginning = '';
    for (const frame of copy.frames) {
      beginning = textSha256(beginning + frame.digest);
      const known = held.get(beginning);
      if (known === undefined) held.set(beginning, { frame, copies: [copy] });
      else known.copies.push(copy);
    }
  }
  return held;
}

const told: ReadonlySet<string> = new Set(['outcome', 'reason', 'decision', 'mode', 'delivery', 'at']);

/** What decides what a record means: who appended it, its words, and under which configuration its run stands. */
function traitsOfFrame(
  good: Good,
  holders: readonly LogCopy[],
  { snapshot, frames }: LogCopy,
  { type, payload, seq, features }: SessionFrame,
): string[] {
  const words = Object.entries(payload).flatMap(([name, value]) =>
    told.has(name) && typeof value === 'string' && value.length < 30 ? [`${name}=${value}`] : [],
  );
  const run = frames.find((one) => one.type === 'run_started' && one.payload.run_id === payload.run_id);
  const config = (run?.payload.config ?? {}) as { model_leg?: string; times?: boolean; batch?: string };
  const torn = (snapshot.state.log.value?.tornBytes ?? 0) > 0;
  return [
    ...traitsOf(good, snapshot),
    ...words,
    ...(config.model_leg === undefined ? [] : [config.model_leg]),
    ...(holders.some((copy) => isEnded(copy, payload.run_id)) ? ['run-ended'] : []),
    ...(config.times === true ? ['timed'] : []),
    ...(features.length > 0 ? ['requiring'] : []),
    ...(torn ? ['torn'] : []),
    ...(seq === frames.length ? ['last'] : []),
    ...(type === 'lineage' && holders.every((copy) => lineages(copy).length === 1) ? ['only-lineage'] : []),
  ];
}

function lineages({ frames }: LogCopy): SessionFrame[] {
  return frames.filter(({ type }) => type === 'lineage');
}

function isEnded({ frames }: LogCopy, run: unknown): boolean {
  return frames.some(({ type, payload }) => type === 'run_finished' && payload.run_id === run);
}
