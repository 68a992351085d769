/** How many mutants were noticed. Whatever was not is a survivor: what no test reaches, and what a comment would have Stryker leave alone, like any other. */
import type { Line } from './journal.js';

interface Counts {
  killed: number;
  timeout: number;
  survived: number;
  no_coverage: number;
  /** Left alone by a comment. */
  ignored: number;
  /** The process of the tests ended, again and again. */
  error: number;
}

export interface Score {
  score: number;
  mutants: number;
  counts: Counts;
  files: Record<string, Counts & { score: number }>;
  survivors: { at: string; mutator: string; replacement: string; status: string }[];
}

const names: Record<string, keyof Counts> = {
  Killed: 'killed',
  Timeout: 'timeout',
  Survived: 'survived',
  NoCoverage: 'no_coverage',
  Ignored: 'ignored',
};

export function scoreOf(lines: readonly Line[]): Score {
  const files: Score['files'] = {};
  for (const file of [...new Set(lines.map((line) => line.file))].sort()) {
    const counts = countsOf(lines.filter((line) => line.file === file));
    files[file] = { score: shareOf(counts), ...counts };
  }
  const counts = countsOf(lines);
  const survivors = lines
    .filter(({ status }) => status !== 'Killed' && status !== 'Timeout')
    .toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map(({ file, line, mutator, replacement, status }) => ({ at: `${file}:${line}`, mutator, replacement, status }));
  return { score: shareOf(counts), mutants: lines.length, counts, files, survivors };
}

function countsOf(lines: readonly Line[]): Counts {
  const counts = { killed: 0, timeout: 0, survived: 0, no_coverage: 0, ignored: 0, error: 0 };
  for (const { status } of lines) counts[names[status] ?? 'error']++;
  return counts;
}

/** In percent, rounded down: a score that is almost reached is not reached. */
function shareOf(counts: Counts): number {
  const all = Object.values(counts).reduce((sum: number, one: number) => sum + one, 0);
  return all === 0 ? 0 : Math.floor(((counts.killed + counts.timeout) / all) * 10_000) / 100;
}
