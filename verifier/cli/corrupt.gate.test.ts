/**
 * The command that breaks a bundle, on two that are whole: some two hundred mutants of each, and each is verified. The generated ones are made
 * of what real runs left.
 */
import { describe, expect, it } from 'vitest';
import { operatorList, type Corruption } from '../mutations/corrupt.js';
import { parseCanonicalFile } from '../read/canonical.js';
import { goodBundle } from '../testing/bundle.js';
import { onDisk, run } from '../testing/command.js';
import { withoutPlaceInSessions } from '../testing/operators.js';
import { goodSessions } from '../testing/sessions/bundle.js';

describe.each([
  ['calls/v1', goodBundle, []],
  ['sessions/v1', goodSessions, withoutPlaceInSessions],
] as const)('corrupting a good bundle of %s', async (model, make, withoutPlace) => {
  const { code, out, err } = await onDisk(make(), (folder) => run(['corrupt', folder, '--json', '--generated', 'none']));
  const corruption = parseCanonicalFile(Buffer.from(out)) as unknown as Corruption;

  it('leaves no survivor', () => {
    expect(err).toBe('');
    expect(corruption).toMatchObject({ base: 'valid', survivors: [] });
    expect(code).toBe(0);
  });

  it('makes every mutant that has a place', () => {
    expect(corruption.not_applicable.toSorted()).toEqual(withoutPlace.toSorted());
    expect(corruption.mutants).toBe(operatorList(model).length - withoutPlace.length);
    expect(corruption.results).toHaveLength(corruption.mutants);
  });

  it.each(corruption.results)('$operator', ({ expected, given }) => expect(given).toEqual(expected));
});
