/**
 * The whole comparison as one document: so many histories of both subjects, lawful and broken, and every planted defect looked for. What
 * it says is kept with the evidence.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../build.mjs';
import type { Sides } from './campaign.js';
import { freedoms } from './compare/freedoms.js';
import type { Subject } from './history/drafts.js';
import { findPlanted, plantedNames, type Sought } from './planted.js';
import { Counts } from './counts.js';
import { judge, nothingJudged, piecesOf, pieceSize, type Judged } from './shards.js';
import { contractOf } from './write/contract.js';

export interface Wanted {
  readonly subjects: readonly Subject[];
  readonly histories: number;
  readonly seed: number;
  /** Goes on where a comparison of the same histories was interrupted. */
  readonly resumes: boolean;
  readonly workers: number;
  readonly ownerEvery: number;
  readonly planted: readonly string[];
  readonly isInterrupted: () => boolean;
}

export interface Whole {
  readonly seed: number;
  readonly complete: boolean;
  readonly wall_s: number;
  readonly histories: Readonly<Record<string, unknown>>;
  readonly disagreements: readonly string[];
  /** Stages and situations that came up in fewer than one lawful history in a thousand. */
  readonly not_reached: readonly string[];
  readonly planted: readonly Sought[];
}

const out = join(root, 'evidence/runs');
const [summaryName, progressName] = ['differential.json', 'differential-progress.json'];

export const wantedWhole: Omit<Wanted, 'isInterrupted'> = {
  ...{ subjects: ['calls', 'sessions'], histories: 100_000, seed: 20_261_201, resumes: false, workers: 2, ownerEvery: 10 },
  planted: plantedNames(),
};

/** Of which histories, in which build, and what came of those that are done. */
interface Progress extends Judged {
  readonly of: string;
  readonly wall_s: number;
}

export async function compareAll(build: string, wanted: Wanted): Promise<Whole> {
  const { subjects, histories, seed, resumes, workers, ownerEvery, isInterrupted } = wanted;
  const sides: Sides = { runtime: build, verifier: build, contract: contractOf(root) };
  const began = Date.now();
  const lists = subjects.map((subject) => piecesOf(subject, Math.ceil(histories / subjects.length), seed, ownerEvery));
  const pieces = (lists[0] ?? []).flatMap((_piece, index) => lists.flatMap((list) => list[index] ?? []));
  const of = JSON.stringify({ subjects, histories, seed, ownerEvery, pieceSize, build: basename(build) });
  const before = resumes ? progressOf(of) : undefined;
  const seconds = (): number => (before?.wall_s ?? 0) + Math.round((Date.now() - began) / 1000);
  const told = (judged: Judged): void => {
    const { length: done } = judged.pieces;
    if (done % 10 === 0) write(progressName, { of, wall_s: seconds(), ...judged });
    if (done % 20 === 0) process.stderr.write(`differential: ${done} of ${pieces.length} pieces of ${pieceSize} histories\n`);
  };
  const judged = await judge(pieces, sides, workers, before ?? nothingJudged, { goesOn: () => !isInterrupted(), told });
  write(progressName, { of, wall_s: seconds(), ...judged });
  const compared = seconds();
  const planted = isInterrupted() ? [] : await findPlanted(wanted.planted, seed, build, say);
  const counts = subjects.map((subject) => new Counts(subject, judged.counts[subject]));
  const whole: Whole & Record<string, unknown> = {
    ...{
      seed,
      piece_size: pieceSize,
      pieces: pieces.length,
      pieces_done: judged.pieces.length,
      workers,
      owner_every: ownerEvery,
    },
    complete: judged.pieces.length === pieces.length && !isInterrupted(),
    ...{ wall_s: seconds(), compared_in_s: compared },
    histories: Object.fromEntries(subjects.map((subject, index) => [subject, counts[index]?.summary()])),
    disagreements: judged.disagreements,
    freedoms,
    not_reached: counts.flatMap((one) => one.missing(Math.floor(one.lawful / 1000))),
    planted,
  };
  write(summaryName, whole);
  return whole;
}

function progressOf(of: string): Progress | undefined {
  try {
    const progress = JSON.parse(readFileSync(join(out, progressName), 'utf8')) as Progress;
    return progress.of === of ? progress : undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, document: object): void {
  mkdirSync(out, { recursive: true });
  const path = join(out, name);
  writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(document, null, 2)}\n`);
  renameSync(`${path}.${process.pid}`, path);
}

function say({ name, program, found, histories, first }: Sought): void {
  process.stderr.write(
    `${found ? 'found' : 'NOT FOUND'} ${name} (${program}): ${histories} histories. ${first?.slice(0, 160) ?? ''}\n`,
  );
}

export function isQuiet({ disagreements, not_reached: missing, planted }: Whole): boolean {
  return disagreements.length === 0 && missing.length === 0 && planted.every(({ found }) => found);
}
