/** What is told of a finding code is what the contract's tables say, and what the checks and the breaks are. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelNames } from '../checks/all.js';
import { findingCodes } from '../checks/check.js';
import { mutationsOf } from '../mutations/all.js';
import { parseCanonicalFile } from '../read/canonical.js';
import { onDisk, run } from '../testing/command.js';
import { explain } from './explain.js';

const contract = readFileSync(new URL('../../evidence/schema/README.md', import.meta.url), 'utf8');
const promised = new Map(
  [...contract.matchAll(/^\| (G\d+) \| (.+?) \| (.+?) \|$/gm)].flatMap(([, guarantee, sentence, codes = '']) =>
    [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => [code, { guarantee, sentence }] as const),
  ),
);

describe('a finding code', () => {
  it.each(findingCodes)('%s is explained by the guarantee that the contract gives it, and by breaks that cause it', (code) => {
    const { guarantee, sentence, covers, does_not_cover: doesNotCover, models, mutations } = explain(code);
    expect({ guarantee, sentence }).toEqual(promised.get(code));
    expect(Math.min(covers.length, doesNotCover.length, models.length)).toBeGreaterThan(0);
    expect(mutations.every(({ codes }) => codes.includes(code))).toBe(true);
    // Every break of its own family is among them, in each model that has it.
    for (const model of models) {
      const own = (mutationsOf(model)[code] ?? []).map(({ name }) => `${code}: ${name}`);
      expect(own.length).toBeGreaterThan(0);
      const listed = mutations.filter((one) => one.models.includes(model)).map(({ operator }) => operator);
      expect(listed).toEqual(expect.arrayContaining(own));
    }
  });

  it('that is of one model only says which', () => {
    expect(explain('ledger-schema').models).toEqual(['calls/v1']);
    expect(explain('log-damaged').models).toEqual(['sessions/v1']);
    expect(explain('kill-unproven').models).toEqual(modelNames);
  });
});

describe('verify --explain', () => {
  it('tells a person guarantee, limits and breaks, each break once', async () => {
    const { code, out, err } = await run(['verify', '--explain', 'kill-unproven']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.startsWith('kill-unproven\nG5  A kill counts only if the harness sent SIGKILL')).toBe(true);
    for (const part of ['judges          each case, in plans of calls/v1 and sessions/v1', 'covers', 'does not cover'])
      expect(out).toContain(`\n${part}`);
    const breaks = out.split('\n').filter((line) => line.startsWith('  '));
    expect(breaks.length).toBeGreaterThan(3);
    expect(new Set(breaks).size).toBe(breaks.length);
  });

  it('with --json gives the same as one document', async () => {
    const { code, out, err } = await run(['--explain', 'kill-unproven', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(parseCanonicalFile(Buffer.from(out))).toEqual(explain('kill-unproven'));
  });

  it.each([
    ['kill-unprovn', /^There is no finding code kill-unprovn; the nearest are kill-unproven, [a-z-]+, [a-z-]+\.\n$/],
    ['Receipts-Unsealed', /the nearest are receipts-unsealed, /],
    ['state_mismatch', /the nearest are state-mismatch, /],
    ['', /^There is no finding code ; the nearest are /],
    ['x'.repeat(1_000_000), /the nearest are /],
  ])('of a code that is not there is 64, with the nearest names (%#)', async (named, sentence) => {
    const { code, out, err } = await run(['verify', '--explain', named, '--json']);
    expect(code).toBe(64);
    expect(err).toMatch(sentence);
    expect(JSON.parse(out)).toEqual({ error: { code: 'unknown-code', message: err.trim() } });
  });

  it('takes no bundle and no key', async () => {
    for (const more of [['.'], ['--key', 'k.pem'], ['--sign', 'k.pem']]) {
      const { code, err } = await run(['verify', ...more, '--explain', 'kill-unproven']);
      expect({ code, lines: err.trim().split('\n').length }).toEqual({ code: 64, lines: 1 });
    }
  });

  it('is no way around naming a bundle', async () => {
    const { code, err } = await run(['verify', '--json']);
    expect({ code, err }).toEqual({ code: 64, err: 'Name the folder of a bundle, or a finding code with --explain.\n' });
    expect(await onDisk({ files: new Map(), forbidden: [], unreadable: [] }, (folder) => run([folder]))).toMatchObject({
      code: 64,
    });
  });
});
