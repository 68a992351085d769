/** `verify --sign` and `verify --key` as a person or a gate meets them: what is printed, what is written, by which code one leaves. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fingerprint } from '../attest/keys.js';
import type { Tree } from '../read/tree.js';
import { goodBundle } from '../testing/bundle.js';
import { run } from '../testing/command.js';
import { keyKinds, keysIn } from '../testing/keys.js';
import { changed } from '../testing/match.js';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-signatures-'));
afterAll(() => rmSync(folder, { recursive: true }));
const good = goodBundle();
/** Judged at once, and invalid: what is said of it is the same as of a whole bundle. */
const bad: Tree = { ...good, files: new Map([...good.files].filter(([path]) => !path.startsWith('data/'))) };
const keys = keysIn(folder, 'ed25519');
const others = keysIn(folder, 'p256', 'other');

/** A bag in a folder of its own, so that what comes to lie beside it is all that is there. */
let places = 0;
function put(tree: Tree): string {
  const bag = join(folder, `place-${(places += 1)}`, 'bag');
  for (const [path, bytes] of tree.files) {
    mkdirSync(dirname(join(bag, path)), { recursive: true });
    writeFileSync(join(bag, path), bytes);
  }
  return bag;
}
const beside = (bag: string): string[] => readdirSync(dirname(bag)).sort();

const otherBag = put(changed((editor) => (editor.text('data/build.json', (text) => `${text} `), editor.repin())));
await run([otherBag, '--sign', keys.sign]);
const signedBag = put(good);
await run([signedBag, '--sign', keys.sign]);
const otherKeyBag = put(good);
await run([otherKeyBag, '--sign', others.sign]);

describe('verify --sign', () => {
  it.each(keyKinds)('signs the verdict with %s, beside the bag, and says the same verdict as without', async (kind) => {
    const [bag, own] = [put(good), keysIn(folder, kind, `own-${kind}`)];
    const plain = await run(['verify', bag, '--json']);
    const { code, out, err } = await run(['verify', bag, '--json', '--sign', own.sign]);
    expect({ code, out }).toEqual({ code: 0, out: plain.out });
    expect(err).toBe(`signed: ${bag}.sigstore.json\nsigned: ${bag}.matrix.sigstore.json\n`);
    expect(beside(bag)).toEqual(['bag', 'bag.matrix.sigstore.json', 'bag.sigstore.json']);
    expect(await run(['verify', `${bag}/`, '--key', own.check, '--json'])).toMatchObject({ code: 0, out: plain.out });
    for (const name of beside(bag).slice(1))
      expect(readFileSync(join(dirname(bag), name), 'utf8')).not.toContain(readFileSync(own.sign, 'utf8').split('\n')[1]!);
  });

  it('signs a verdict that is no, too, and leaves by its code', async () => {
    const bag = put(bad);
    expect((await run([bag, '--sign', keys.sign])).code).toBe(1);
    const { code, err } = await run([bag, '--key', keys.check]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^signature: of this verdict/) as string });
  });

  it('signs nothing that has no root hash, and leaves by the code of the verdict', async () => {
    const bag = put({ ...good, files: new Map([...good.files].filter(([path]) => path !== 'tagmanifest-sha256.txt')) });
    const { code, out, err } = await run([bag, '--sign', keys.sign]);
    expect(code).toBe(1);
    expect(out).toMatch(/verdict: invalid\n$/);
    expect(err).toBe('Nothing was signed: without tagmanifest-sha256.txt there is no hash to sign for.\n');
    expect(beside(bag)).toEqual(['bag']);
  });

  it('replaces what another key signed, whole', async () => {
    const bag = put(good);
    for (const { sign } of [others, keys]) await run([bag, '--sign', sign]);
    expect((await run([bag, '--key', keys.check])).code).toBe(0);
    expect((await run([bag, '--key', others.check])).code).toBe(1);
    expect(beside(bag)).toHaveLength(3);
  });

  it('that cannot write is 64 in one sentence, but never in the place of a verdict that is no', async () => {
    for (const [tree, wanted] of [
      [good, 64],
      [bad, 1],
    ] as const) {
      const bag = put(tree);
      mkdirSync(`${bag}.sigstore.json`);
      const { code, err } = await run([bag, '--sign', keys.sign]);
      expect({ code, err }).toEqual({
        code: wanted,
        err: `The signed statement ${bag}.sigstore.json could not be written (EISDIR).\n`,
      });
      expect(beside(bag)).toEqual(['bag', 'bag.sigstore.json']);
    }
  });
});

describe('verify without a key', () => {
  it('writes nothing and claims no signature', async () => {
    const bag = put(good);
    const { code, out, err } = await run([bag]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toMatch(/signature|signed/i);
    expect(beside(bag)).toEqual(['bag']);
  });
});

describe('verify --key', () => {
  it('says whose signature it is, to a person on standard error', async () => {
    const { code, out, err } = await run([signedBag, '--key', keys.check]);
    expect(code).toBe(0);
    expect(out).toMatch(/verdict: valid\n$/);
    expect(err).toMatch(/^signature: of this verdict about this bundle, by the key [0-9a-f]{64}\n$/);
  });

  it.each<[string, string, (bag: string) => void]>([
    ['there is no signature', 'signature-absent', (bag) => rmSync(`${bag}.sigstore.json`)],
    ['another key signed', 'signature-other-key', (bag) => copied(otherKeyBag, bag)],
    [
      'the payload was altered',
      'signature-altered',
      (bag) => alter(bag, (text) => text.replace(/"payload":"..../, '"payload":"AAAA')),
    ],
    ['it is about another bag', 'signature-other-bundle', (bag) => copied(otherBag, bag)],
  ])('where %s: exit 1, one sentence, and no verdict that could be taken for a pass', async (_what, named, change) => {
    const bag = put(good);
    copied(signedBag, bag);
    change(bag);
    const json = await run([bag, '--key', keys.check, '--json']);
    expect(json.code).toBe(1);
    expect(json.err.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(json.out)).toEqual({ error: { code: named, message: json.err.trim() } });
    expect(await run([bag, '--key', keys.check])).toEqual({ code: 1, out: '', err: json.err });
  });

  it('where the bag was altered after it was signed: exit 1, the findings, and that another verdict was signed', async () => {
    const bag = put(good);
    copied(signedBag, bag);
    writeFileSync(join(bag, 'data/build.json'), 'other\n');
    const { code, out, err } = await run([bag, '--key', keys.check]);
    expect(code).toBe(1);
    expect(out).toMatch(/G1 file-altered at data\/build\.json/);
    expect(err).toMatch(/states another verdict than the one just computed: result (PASSED|WARNED), not FAILED\.\n$/);
  });
});

describe('key', () => {
  it('tells the fingerprint of a key that can sign, and refuses any other', async () => {
    expect(await run(['key', keys.sign])).toEqual({ code: 0, out: `${fingerprint(keys.publicKey)}\n`, err: '' });
    for (const path of [keys.check, join(folder, 'nowhere.pem')])
      expect(await run(['key', path])).toMatchObject({
        code: 64,
        out: '',
        err: expect.stringMatching(/^The key .*\.\n$/) as string,
      });
  });
});

describe('a key that cannot be used', () => {
  it.each([
    ['--sign', 'nowhere.pem'],
    ['--key', 'nowhere.pem'],
    ['--sign', 'ed25519.pub.pem'],
    ['--key', 'ed25519.pem'],
  ])('%s %s is 64, before anything is judged or written', async (option, name) => {
    const bag = put(bad);
    const { code, out, err } = await run(['verify', bag, option, join(folder, name), '--json']);
    expect(code).toBe(64);
    expect(err).toMatch(/^The key .* cannot be used: .*\.\n$/);
    expect(JSON.parse(out)).toEqual({ error: { code: 'key-unreadable', message: err.trim() } });
    expect(beside(bag)).toEqual(['bag']);
  });

  it('two of them are one too many', async () => {
    const { code, out } = await run(['verify', put(good), '--sign', keys.sign, '--key', keys.check]);
    expect({ code, out }).toEqual({ code: 64, out: '' });
  });
});

function copied(from: string, to: string): void {
  for (const ending of ['.sigstore.json', '.matrix.sigstore.json']) {
    expect(existsSync(`${from}${ending}`)).toBe(true);
    writeFileSync(`${to}${ending}`, readFileSync(`${from}${ending}`));
  }
}

function alter(bag: string, change: (text: string) => string): void {
  writeFileSync(`${bag}.sigstore.json`, change(readFileSync(`${bag}.sigstore.json`, 'utf8')));
}
