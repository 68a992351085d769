/** The command that breaks a bundle, on one that is whole: some two hundred mutants, each verified. The generated ones are made of what real runs left. */
import { expect, it } from 'vitest';
import { parseCanonicalFile } from '../read/canonical.js';
import { goodBundle } from '../testing/bundle.js';
import { onDisk, run } from '../testing/command.js';

it('corrupting a good bundle leaves no survivor', async () => {
  const { code, out, err } = await onDisk(goodBundle(), (folder) => run(['corrupt', folder, '--json', '--generated', 'none']));
  expect(err).toBe('');
  expect(parseCanonicalFile(Buffer.from(out))).toMatchObject({ base: 'valid', survivors: [], not_applicable: [] });
  expect(code).toBe(0);
});
