/** A forger writes what the format says: his bytes are those of logs that were written without either program. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readFeatureFloor } from '../../read/feature-floor.js';
import { readSessionLog } from '../../read/session-log.js';
import { encodeFloor, encodeLog } from './encode.js';

interface Vector {
  readonly name: string;
  readonly hex: string;
  readonly verdict: string;
}

const file = readFileSync(new URL('../../../evidence/schema/vectors/session-log.json', import.meta.url), 'utf8');
const { vectors } = JSON.parse(file) as { vectors: Vector[] };
const whole = vectors.filter(({ verdict, hex }) => verdict === 'ok' && hex !== '');

describe('frames', () => {
  it('are there to compare with', () => expect(whole.length).toBeGreaterThan(0));

  it.each(whole)('$name: what was read is written to the same bytes', ({ hex }) => {
    const { frames } = readSessionLog(Buffer.from(hex, 'hex'));
    expect(frames.length).toBeGreaterThan(0);
    expect(encodeLog(frames).toString('hex')).toBe(hex);
  });
});

it('a floor is read as it was written', () => {
  const features = ['steer-queue/v1', 'model-intent/v1'];
  expect(readFeatureFloor(encodeFloor(features))).toMatchObject({ features: [...features].sort(), problem: null, unread: [] });
});
