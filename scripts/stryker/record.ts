/** What each test evaluates of the mutated code and how long it takes, found once for a state of the sources: with it a mutant meets only tests that can tell. */

/** A test that takes longer, in a world of its own and with nothing mutated, is not asked: it would be, by every survivor that it reaches. */
export const slowestMs = 4000;

export interface TestRecord {
  title: string;
  /** Of a processor; null where it was not waited for. */
  ms: number | null;
  /** A bit for each mutant that it reaches, in base64. */
  reach: string;
}

export interface FileRecord {
  file: string;
  /** Of loading it in a world of its own: what is evaluated then is a ground of all its tests. */
  load: TestRecord;
  tests: TestRecord[];
  /** How often each mutant is reached, by its id: Stryker tells an endless loop by it. */
  hits: Record<string, number>;
}

export interface SuiteRecord {
  hash: string;
  files: FileRecord[];
}

export function reachOf(ids: readonly string[]): string {
  const bits = Buffer.alloc(ids.reduce((most, id) => Math.max(most, (Number(id) >> 3) + 1), 0));
  for (const id of ids) bits[Number(id) >> 3] = (bits[Number(id) >> 3] ?? 0) | (1 << (Number(id) & 7));
  return bits.toString('base64');
}

export function isReached(bits: Uint8Array, id: string): boolean {
  return ((bits[Number(id) >> 3] ?? 0) & (1 << (Number(id) & 7))) !== 0;
}

export interface Candidate {
  file: string;
  /** Its place among the tests of its file. */
  index: number;
  ms: number;
}

/**
 * The order in which tests are asked: cheap ones first, but much sooner where they lie beside the mutated file, or have already noticed a mutant of it. The order
 * changes how long it takes, never what comes of it.
 */
export class Order {
  private readonly kills = new Map<string, number>();

  noticed(source: string, { file, index }: Candidate): void {
    for (const key of [`${source} ${file}`, `${source} ${file} ${index}`]) this.kills.set(key, (this.kills.get(key) ?? 0) + 1);
  }

  sorted(source: string, candidates: readonly Candidate[]): Candidate[] {
    const cost = ({ file, index, ms }: Candidate): number => {
      const beside = file === source.replace(/\.ts$/, '.test.ts') ? 50 : 0;
      const near = folderOf(file) === folderOf(source) ? 3 : 0;
      const before = this.kills.get(`${source} ${file}`) ?? 0;
      const itself = this.kills.get(`${source} ${file} ${index}`) ?? 0;
      return (ms + 1) / (1 + beside + near + 2 * before + 20 * itself);
    };
    const costs = new Map(candidates.map((one) => [one, cost(one)]));
    return candidates.toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0));
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
