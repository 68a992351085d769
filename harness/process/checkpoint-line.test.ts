import { describe, expect, it } from 'vitest';
import { readCheckpointLine } from './checkpoint-line.js';

const armed = { checkpoint: 'intent.written', occurrence: 1 };
const line = (more: object = {}): string =>
  `${JSON.stringify({ checkpoint: 'intent.written', nonce: 'n', occurrence: 1, pid: 7, ...more })}\n`;
const read = (text: string) => readCheckpointLine(Buffer.from(text), armed, 'n', 7);

describe('descriptor 3', () => {
  it('announces by one whole line', () => {
    expect(read(line())).toEqual({ kind: 'announced' });
  });

  it('announces nothing by any part of a line', () => {
    for (let cut = 0; cut < line().length; cut += 1) expect(read(line().slice(0, cut))).toEqual({ kind: 'none' });
  });

  it.each([
    ['another nonce', line({ nonce: 'm' }), /nonce/],
    ['another process', line({ pid: 8 }), /process 8 announced/],
    ['another checkpoint', line({ checkpoint: 'x' }), /x#1 was announced/],
    ['another occurrence', line({ occurrence: 2 }), /#2 was announced/],
    ['a second line', line() + line(), /more came/],
    ['something after the line', `${line()}x`, /more came/],
    ['a line in another order', '{"nonce":"n","checkpoint":"intent.written","occurrence":1,"pid":7}\n', /canonical/],
    ['a repeated name', line().replace('{', '{"checkpoint":"x",'), /canonical/],
    ['a line of another shape', '{"a":1}\n', /shape/],
    ['no JSON', 'hello\n', /canonical/],
  ])('is wrong with %s', (_name, text, why) => {
    expect(read(text)).toEqual({ kind: 'wrong', why: expect.stringMatching(why) as string });
  });
});
