/** What lies beside a bag is anybody's: it is neither written through a link nor read without end. */
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { goodBundle } from '../testing/bundle.js';
import { keysIn } from '../testing/keys.js';
import { verify } from '../verdict.js';
import { pathBeside } from './beside.js';
import { checkSignatures } from './check.js';
import { loadPackages } from './packages.js';
import { signVerdict } from './sign.js';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-beside-'));
afterAll(() => rmSync(folder, { recursive: true }));
const packages = await loadPackages();
const { verdict } = verify(goodBundle());
const { privateKey, publicKey } = keysIn(folder, 'ed25519');

it('a signed statement is not written through a link that somebody put there', () => {
  const bag = join(folder, 'bag-with-links');
  const victim = join(folder, 'victim.txt');
  writeFileSync(victim, 'mine');
  const path = pathBeside(bag, 'result');
  for (const link of [path, `${path}.${process.pid}.tmp`]) symlinkSync(victim, link);
  signVerdict(verdict, bag, privateKey, packages);
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(lstatSync(path).isFile()).toBe(true);
});

it('a file that is larger than any statement is not read', () => {
  const bag = join(folder, 'bag-with-a-giant');
  const [result = ''] = signVerdict(verdict, bag, privateKey, packages);
  truncateSync(result, 2 ** 31);
  const before = process.memoryUsage.rss();
  const refused = expect.objectContaining({ code: 'signature-wrong-form', message: expect.stringContaining('is larger than') });
  expect(() => checkSignatures(verdict, bag, publicKey, packages)).toThrow(refused);
  expect(process.memoryUsage.rss() - before).toBeLessThan(2 ** 28);
});
