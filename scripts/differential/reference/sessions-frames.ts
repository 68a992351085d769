/**
 * What the words say of a frame beside its record (G33): tenures and their names, shapes, features and the floor. One rule after another;
 * nothing here is asked of a reader, which skips what is informational and takes a fence for "a stamp for people".
 */
import { isKnown, kindOf, type Frame, type Log, type Payload } from './log.js';
import type { Broken } from './sessions-order.js';

export function framesBroken({ frames, is, floor }: Pick<Log, 'frames' | 'is' | 'floor'>): Broken[] {
  if (frames.length === 0) return [{ seq: 1, rule: 'a folder is created with a log that holds one synced lineage frame' }];
  const broken = frames.flatMap((frame, index) => {
    const rule = frameBroken(frames[index - 1], frame, floor);
    return rule === null ? [] : [{ seq: frame.seq, rule }];
  });
  const last = frames.at(-1) as Frame;
  const isAlone = last.type === 'lineage' && last.seq > 1 && is === 'ok';
  return isAlone ? [...broken, { seq: last.seq, rule: 'a lineage frame goes with the first record' }] : broken;
}

function frameBroken(before: Frame | undefined, frame: Frame, floor: readonly string[]): string | null {
  const begins = before === undefined || frame.fence !== before.fence;
  if (begins !== (frame.type === 'lineage')) return 'one identity throughout, named first in each tenure';
  if (frame.fence !== (before?.fence ?? 0) + (begins ? 1 : 0)) return '`fence` counts the tenures, the creation is the first';
  if (!isKnown(frame.type)) return 'frames are of their shapes, and this type has none';
  if (frame.features.join() !== featuresOf(frame).join()) return '`features`, sorted, is what a reader must understand';
  return frame.features.every((name) => floor.includes(name)) ? null : 'what a frame requires is in the feature floor';
}

/** As `features.json` says what each is about. */
function featuresOf({ type, payload }: Frame): string[] {
  const times = ['dispatched_at_ms', 'finished_at_ms', 'deferred_at_ms', 'closed_at_ms'];
  const isOf: Readonly<Record<string, boolean>> = {
    'model-intent/v1': type === 'model_attempt_started' || (type === 'run_started' && payload.config?.model_leg === 'intent'),
    'run-cancel-at/v1': type === 'run_cancel_requested',
    'steer-queue/v1': type === 'steered',
    'tool-times/v1': kindOf(type) === 1 && times.some((time) => time in (payload as Payload & object)),
  };
  return Object.keys(isOf).filter((name) => isOf[name]);
}
