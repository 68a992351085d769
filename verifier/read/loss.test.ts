/** What is carried on from: of each thing that a power loss may leave, with each number of receipts that there may be then. */
import { describe, expect, it } from 'vitest';
import { derive, vectors } from '../testing/power-loss-vectors.js';
import { ProviderLog } from '../testing/provider.js';
import { canonical } from './canonical.js';
import { LossEvidence } from './loss.js';
import { Memory } from './memory.js';
import { noDigest } from './events.js';

const [vector] = vectors.filter(({ moments }) => moments !== undefined);
if (vector === undefined) throw new Error('No known answer tells of moments.');
const { persistence, subsets, seed, trace, moments = [], receipts = [] } = vector;
const { states, counts } = derive(vector);

/** As if each state that was made held as many entries as its number: none is like another. */
function evidence(isTold: boolean, entriesOf = (state: number): number => state): LossEvidence {
  const log = new ProviderLog();
  for (const one of receipts) if (one !== null) log.arrive(one.path, one.key ?? '');
  const told = states.map(({ number, sha256, isMade, occurrences: [{ cut, rule, at }] }) => {
    const opened = isMade ? { entries: entriesOf(number), digest: noDigest } : null;
    return { state: number, cut, rule, at, sha256, opened, refused: isMade ? null : { error: 'state-absent' }, remade: null };
  });
  const looked = { examined: states.length, opened: states.length, refused: 0, remade: 0, workers: 1 };
  const files = new Map(
    [
      ['arm/trace.txt', `${trace.join('\n')}\n`],
      ['arm/states.jsonl', told.map((line) => `${canonical(line)}\n`).join('')],
      ['arm/derivation.json', `${canonical({ ...counts, ...looked, ...(isTold ? { beginnings: [] } : {}) })}\n`],
    ].map(([name = '', text = '']): [string, Buffer] => [name, Buffer.from(text)]),
  );
  files.set('arm/receipts.jsonl', log.bytes);
  const crash = { model: 'power-loss', persistence, subsets, seed, every: 1, offset: 0 } as const;
  return new LossEvidence(
    { files, memory: new Memory() },
    { folder: 'arm/', from: null, crash: { ...crash, carry_on: 'recover', outcomes: ['completed_once'] } },
  );
}

const nameOf = (state: number, lines: number): string =>
  `${states[state - 1]?.isMade === true ? `n${state}` : 'unmade'}-r${lines}`;

describe('what is carried on from', () => {
  it('is each state with each number of receipts, where it first has it', () => {
    const found = evidence(true).beginnings.map(({ name, state, cut, lines }) => ({ name, state, cut, receipts: lines }));
    expect(found).toEqual(moments.map((one) => ({ name: nameOf(one.state, one.receipts), ...one })));
    expect(found.filter(({ state }) => state === 3).map(({ cut, receipts: lines }) => [cut, lines])).toEqual([
      [3, 0],
      [6, 2],
      [8, 6],
    ]);
  });

  it('is the first of those that hold as much', () =>
    expect(evidence(true, () => 1).beginnings.map(({ name, state, cut }) => [name, state, cut])).toEqual([
      ['unmade-r0', 1, 0],
      ['n1-r0', 2, 2],
      ['n1-r2', 3, 6],
      ['n1-r6', 3, 8],
    ]));

  it('is each state once, with the receipts at its first cut, in a bundle that was made before', () =>
    expect(evidence(false).beginnings.map(({ state, cut }) => [state, cut])).toEqual(
      states.map(({ number, occurrences: [{ cut }] }) => [number, cut]),
    ));
});
