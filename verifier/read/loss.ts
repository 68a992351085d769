/**
 * What a bundle holds of an arm under power loss: the states that its trace gives, how many the harness counted, what the subject made of those
 * that were looked at, and the snapshots that carry on from one of them. Such a beginning lies in no folder of the bundle: it is the arm as the
 * power loss left it, made from the trace again.
 */
import type { DerivedState, Derivation as Counted } from '../contract/types.js';
import * as shape from '../contract/validators.js';
import { attempt, bytesOf, readFact, readFactLines, type Files, type Read, type Source } from './facts.js';
import { fileSha256 } from './hash.js';
import type { PowerLoss } from './plan.js';
import type { Beginning } from './power-loss-arm.js';
import { Derivation, type LostState } from './power-loss/derive.js';
import { readReceipts } from './receipts.js';
import { StateEvidence, type StateFile } from './state.js';

/** Where the evidence of such an arm lies. */
export interface LossPlace {
  /** That of the arm; ends with a slash. */
  readonly folder: string;
  /** The snapshot with whose state and receipts it began, and its files; null where it began with nothing. */
  readonly from: { readonly folder: string; readonly paths: readonly string[] } | null;
  readonly crash: PowerLoss;
}

interface Kept {
  derivation?: Read<Derivation>;
  sample?: readonly LostState[];
  lines?: readonly number[];
  beginnings?: readonly Beginning[];
}

export class LossEvidence {
  private readonly kept: Kept = {};

  constructor(
    private readonly source: Source,
    private readonly place: LossPlace,
  ) {}

  file(name: string): string {
    return `${this.place.folder}${name}`;
  }

  /** The states that the trace gives. */
  get derivation(): Read<Derivation> {
    return (this.kept.derivation ??= this.derive());
  }

  /** What the harness counted. */
  get counted(): Read<Counted> {
    return readFact(this.source, this.file('derivation.json'), shape.validateDerivation, 'a count of derived states');
  }

  /** What the subject made of those that were looked at. */
  get told(): Read<DerivedState[]> {
    return readFactLines(this.source, this.file('states.jsonl'), shape.validateDerivedState, 'a state that was looked at');
  }

  /** Those that the plan asks for; none where the trace gives no states. */
  get sample(): readonly LostState[] {
    const { every, offset } = this.place.crash;
    const all = this.derivation.value?.states ?? [];
    return (this.kept.sample ??= all.filter(({ number }) => number % every === offset));
  }

  /** By cut: how many receipt lines the provider had written when the power went there. */
  get lines(): readonly number[] {
    return (this.kept.lines ??= this.countLines());
  }

  /** What is carried on from: each pair of what was opened and receipts once, in the order in which it occurs. */
  get beginnings(): readonly Beginning[] {
    return (this.kept.beginnings ??= this.findBeginnings());
  }

  /** The files of a state. */
  stateOf(number: number): Files {
    const derivation = this.derivation.value;
    const state = derivation?.states[number - 1];
    if (derivation === undefined || state === undefined) return new Map();
    const known = this.source.memory.lostStates.get(derivation) ?? new Map<number, Files>();
    this.source.memory.lostStates.set(derivation, known);
    if (!known.has(number)) for (const [, files] of derivation.filesOf([state])) known.set(number, files);
    return known.get(number) ?? new Map();
  }

  /** States as the subject was given them, which come in the order of their numbers. */
  *statesOf(states: readonly LostState[]): Generator<[LostState, StateEvidence]> {
    const { memory } = this.source;
    for (const [state, files] of this.derivation.value?.filesOf(states) ?? [])
      yield [
        state,
        new StateEvidence({ files, memory }, '', [...files.keys()], unlisted, { unfinished: 'never', lostPower: true }),
      ];
  }

  /** The files of the arm as the power loss left it: those of a state, the first lines of its receipts, and who it was. */
  filesOf({ state, lines }: Beginning): Files {
    const { files } = this.source;
    const told = ['process.json', 'answer.json'].map(this.file, this).map((path) => [path, files.get(path)] as const);
    const log = files.get(this.file('receipts.jsonl'));
    return new Map([
      ...told.flatMap(([path, bytes]) => (bytes === undefined ? [] : [[path, bytes] as const])),
      ...(log === undefined ? [] : [[this.file('receipts.jsonl'), this.firstLines(log, lines)] as const]),
      ...[...this.stateOf(state)].map(([name, bytes]) => [this.file(`state/${name}`), bytes] as const),
    ]);
  }

  private derive(): Read<Derivation> {
    const { files, memory } = this.source;
    const { from, crash } = this.place;
    const { persistence, subsets, seed } = crash;
    const inside = `${from?.folder}state/`;
    const paths = (from?.paths ?? []).filter((path) => path.startsWith(inside)).sort();
    const beginning = new Map(paths.map((path) => [path.slice(inside.length), bytesOf(files, path)]));
    const named = [...beginning].map(([name, bytes]) => `${name} ${fileSha256(bytes)}`);
    const key = [persistence, subsets, seed, ...named].join('\n');
    const file = this.file('trace.txt');
    return attempt(file, () => {
      const trace = bytesOf(files, file);
      const slots = memory.derivations.get(trace) ?? new Map<string, Derivation>();
      memory.derivations.set(trace, slots);
      const derivation = slots.get(key) ?? new Derivation(trace, beginning, { persistence, subsets, seed });
      slots.set(key, derivation);
      return derivation;
    });
  }

  private findBeginnings(): Beginning[] {
    const told = new Map((this.told.value ?? []).map((line) => [line.state, line]));
    const onlyFirst = this.counted.value !== undefined && this.counted.value.beginnings === undefined;
    const found: (Beginning & { readonly place: number })[] = [];
    for (const { number, occurrences, isMade } of this.sample) {
      const opened = told.get(number)?.opened ?? null;
      if (isMade && opened === null) continue;
      const names = new Set<string>();
      for (const { cut, place } of onlyFirst ? [occurrences[0]] : occurrences) {
        const lines = this.lines[cut] ?? 0;
        const name = `${isMade ? `n${opened?.entries}` : 'unmade'}-r${lines}`;
        if (!names.has(name)) found.push({ name, state: number, cut, lines, isMade, place });
        names.add(name);
      }
    }
    found.sort((left, right) => left.place - right.place);
    const all = new Map<string, Beginning>();
    for (const { place: _place, ...begins } of found) if (!all.has(begins.name)) all.set(begins.name, begins);
    return [...all.values()];
  }

  /** The longest beginning of its own lines in which each request that was received had left. */
  private countLines(): number[] {
    const { memory, files } = this.source;
    const derivation = this.derivation.value;
    const bytes = files.get(this.file('receipts.jsonl'));
    if (derivation === undefined || bytes === undefined) return [];
    const before = files.get(`${this.place.from?.folder}receipts.jsonl`);
    const inherited = before === undefined ? 0 : readReceipts(before, memory).lineCount;
    const { all, lineCount } = readReceipts(bytes, memory);
    const own = all.map(({ received }) => received).filter(({ seq }) => seq > inherited);
    own.sort((left, right) => left.seq - right.seq);
    const left = new Map<string, number>();
    let next = 0;
    const lines: number[] = [];
    for (const asks of [null, ...derivation.trace.items.map((item) => item.asks)]) {
      if (asks !== null) left.set(nameOf(asks), (left.get(nameOf(asks)) ?? 0) + 1);
      for (let received = own[next]; received !== undefined; received = own[next]) {
        const name = nameOf({ ...received, key: received.idempotency_key });
        const open = left.get(name) ?? 0;
        if (open === 0) break;
        left.set(name, open - 1);
        next += 1;
      }
      lines.push((own[next]?.seq ?? lineCount + 1) - 1);
    }
    return lines;
  }

  private firstLines(log: Buffer, lines: number): Buffer {
    const slots = this.source.memory.beginnings.get(log) ?? new Map<number, Buffer>();
    this.source.memory.beginnings.set(log, slots);
    const known = slots.get(lines);
    if (known !== undefined) return known;
    let end = 0;
    for (let line = 0; line < lines && end < log.length; line += 1) end = log.indexOf(0x0a, end) + 1 || log.length;
    const beginning = end === log.length ? log : log.subarray(0, end);
    slots.set(lines, beginning);
    return beginning;
  }
}

/** Nobody made an inventory of a state that was derived. */
const unlisted = (): Read<StateFile[]> => ({
  problem: { code: 'absent', file: '', detail: 'A derived state has no inventory.' },
});

/** What tells requests apart here, each as often as it occurs. */
export function nameOf({ method, path, key }: { method: string; path: string; key: string | null }): string {
  return [method, path, key ?? ''].join('\n');
}
