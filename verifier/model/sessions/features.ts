/** What a reader must understand to read a record, by what the record says: what its frame must require, and the floor with it. Pure. */
import { sessionLogV1 } from '../../contract/data.js';
import type { SessionRecord } from '../../read/session-records.js';

const byType: Readonly<Record<string, string>> = sessionLogV1.features;
const times: Readonly<Record<string, string>> = sessionLogV1.times;

/** Sorted, as a frame lists them. */
export function requiredFeatures({ type, payload }: SessionRecord): string[] {
  const features = new Set<string>();
  const own = Object.hasOwn(byType, type) ? byType[type] : undefined;
  const time = Object.hasOwn(times, type) ? times[type] : undefined;
  if (own !== undefined) features.add(own);
  if (time !== undefined && Object.hasOwn(payload, time)) features.add('tool-times/v1');
  if (type === 'run_started' && payload.config.model_leg === 'intent') features.add('model-intent/v1');
  return [...features].sort();
}
