/**
 * How a mutant is made: a copy of the map of files, edited in memory, with the means to cover the traces. A forger who controls the
 * bundle can re-pin the bag, the inventories and the receipts' seal, and with the means of a model its record and the inspector's export; a
 * mutant that does so can only be caught by what the evidence means.
 */
import type { Answer, Execution, Group, Inspector, Plan, Process, Receipt } from '../contract/types.js';
import type { FindingCode } from '../checks/check.js';
import { toldTo } from '../checks/parking.js';
import { readBundle, type Bundle, type Snapshot } from '../read/bundle.js';
import { canonical, decodeUtf8, parseJson } from '../read/canonical.js';
import { fileSha256, textSha256 } from '../read/hash.js';
import { Memory } from '../read/memory.js';
import type { RoleEvidence } from '../read/role.js';
import type { Tree } from '../read/tree.js';

export interface Mutation {
  readonly name: string;
  /** Every code that the mutant must cause, and no other. */
  readonly codes: readonly FindingCode[];
  /** False where the bundle has no such place. */
  apply(editor: Editor): boolean;
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] };
export type Line = Receipt;

export class Editor {
  readonly files: Map<string, Buffer>;
  readonly forbidden: { path: string; what: string }[] = [];

  constructor(
    base: Tree,
    private readonly memory = new Memory(),
  ) {
    this.files = new Map(base.files);
  }

  get tree(): Tree {
    return { files: this.files, forbidden: this.forbidden, unreadable: [] };
  }

  /** The evidence as it stands after the edits so far. */
  get bundle(): Bundle {
    return readBundle(this.tree, this.memory);
  }

  /** None under a tracer: what is broken in one of its snapshots is missed in another as well. */
  find(wanted: (snapshot: Snapshot, bundle: Bundle) => boolean): Snapshot | undefined {
    return this.findAny(
      (snapshot, bundle) =>
        snapshot.lineage.every(({ planned }) => planned.traced === null && planned.powerLoss === null) &&
        wanted(snapshot, bundle),
    );
  }

  findAny(wanted: (snapshot: Snapshot, bundle: Bundle) => boolean): Snapshot | undefined {
    const { bundle } = this;
    return bundle.cases.flatMap(({ snapshots }) => snapshots).find((snapshot) => wanted(snapshot, bundle));
  }

  again(snapshot: Snapshot): Snapshot {
    const found = this.findAny((one) => one.caseId === snapshot.caseId && one.name === snapshot.name);
    if (found === undefined) throw new Error('An edited snapshot is not planned any more.');
    return found;
  }

  text(path: string, change: (text: string) => string): void {
    this.files.set(path, Buffer.from(change(decodeUtf8(this.bytes(path))), 'utf8'));
  }

  json<T extends object>(path: string, change: (value: Mutable<T>) => void): void {
    const value = parseJson(decodeUtf8(this.bytes(path))) as unknown as Mutable<T>;
    change(value);
    this.files.set(path, Buffer.from(`${canonical(value)}\n`, 'utf8'));
  }

  process(snapshot: Snapshot, change: (value: Mutable<Process>) => void): void {
    this.json<Process>(snapshot.file('process.json'), change);
  }

  /** The record of one of several processes, or of the only one. */
  member(role: RoleEvidence, change: (value: Mutable<Process>) => void): void {
    this.json<Process>(role.file('process.json'), change);
  }

  memberAnswer(role: RoleEvidence, change: (value: Mutable<Answer>) => void): void {
    this.json<Answer>(role.file('answer.json'), change);
  }

  group(snapshot: Snapshot, change: (value: Mutable<Group>) => void): void {
    this.json<Group>(snapshot.file('group.json'), change);
  }

  /** The record of what belongs to the snapshot as a whole. */
  private whole(snapshot: Snapshot, change: (value: Mutable<Pick<Process, 'receipts' | 'live_inventory'>>) => void): void {
    if (snapshot.group === undefined) this.process(snapshot, change);
    else this.group(snapshot, change);
  }

  inspector(snapshot: Snapshot, change: (value: Mutable<Inspector>) => void): void {
    this.json<Inspector>(snapshot.file('inspector.json'), change);
  }

  inspection(snapshot: Snapshot, change: (value: Mutable<Answer>) => void): void {
    this.json<Answer>(snapshot.file('inspection.json'), change);
  }

  answer(snapshot: Snapshot, change: (value: Mutable<Answer>) => void): void {
    this.json<Answer>(snapshot.file('answer.json'), change);
  }

  execution(change: (value: Mutable<Execution>) => void): void {
    this.json<Execution>('data/execution.json', change);
  }

  /** Changes the plan and covers it: the records name the new bytes and what they plan, and the run claims no commit. */
  plan(change: (value: Mutable<Plan>) => void): void {
    const inputs = (): string => {
      const { plan, cases } = this.bundle;
      return canonical([plan.value?.scenarios, plan.value?.providers, cases.map(({ planned }) => planned.arms.map(inputOf))]);
    };
    const before = inputs();
    this.json<Plan>('data/plan.json', change);
    if (this.bundle.plan.value !== undefined && inputs() !== before) this.coverInputs();
    this.execution((execution) => {
      execution.plan.sha256 = fileSha256(this.bytes('data/plan.json'));
      execution.confirmatory = false;
      execution.exploratory_reason = 'the plan was changed';
    });
  }

  /** Makes every role and provider have been given what the plan says. */
  private coverInputs(): void {
    const { plan, cases } = this.bundle;
    for (const snapshot of cases.flatMap(({ snapshots }) => snapshots)) {
      const { scenario, provider } = snapshot.planned;
      for (const role of snapshot.roles) {
        this.member(role, (value) => {
          value.scenario_sha256 = textSha256(`${canonical(plan.value?.scenarios[scenario])}\n`);
          value.script_sha256 = textSha256(canonical(plan.value?.providers[provider]));
          const { input } = toldTo(snapshot, role);
          if (input !== null) value.input_sha256 = textSha256(`${canonical(input)}\n`);
        });
      }
    }
  }

  /** Makes the inventories agree with the files of the bundle. */
  coverFiles(snapshot: Snapshot): void {
    const { state: whole, movedAway, roles } = this.again(snapshot);
    const state = whole.files;
    const [owner] = roles;
    if (movedAway !== undefined && owner !== undefined)
      this.member(owner, (value) => void (value.live_inventory = structuredClone(movedAway.files)));
    this.whole(snapshot, (value) => void (value.live_inventory = structuredClone(state)));
    this.inspector(snapshot, (value) => {
      value.before = structuredClone(state);
      value.after = structuredClone(state);
    });
  }

  /** Changes receipt lines; numbers, digests and the seal are made good again. */
  receipts(snapshot: Snapshot, change: (lines: Mutable<Line>[]) => Line[] | void): void {
    const path = snapshot.file('receipts.jsonl');
    const text = decodeUtf8(this.bytes(path));
    const lines =
      text === ''
        ? []
        : text
            .slice(0, -1)
            .split('\n')
            .map((line) => parseJson(line) as unknown as Mutable<Line>);
    const changed = change(lines) ?? lines;
    const written = changed.map((line, index) => {
      const { digest: _digest, ...rest } = { ...line, seq: index + 1 };
      return `${canonical({ ...rest, digest: textSha256(canonical(rest)) })}\n`;
    });
    this.files.set(path, Buffer.from(written.join(''), 'utf8'));
    this.seal(snapshot);
  }

  seal(snapshot: Snapshot): void {
    const bytes = this.bytes(snapshot.file('receipts.jsonl'));
    const lines = decodeUtf8(bytes).split('\n').length - 1;
    this.whole(snapshot, (value) => void (value.receipts = { bytes: bytes.length, lines, sha256: fileSha256(bytes) }));
  }

  /** Lists every file again under its present hash. */
  repin(): void {
    const lineOf = (path: string): string => `${fileSha256(this.bytes(path))}  ${path}\n`;
    const payload = [...this.files.keys()].filter((path) => path.startsWith('data/')).sort();
    this.files.set('manifest-sha256.txt', Buffer.from(payload.map(lineOf).join('')));
    const size = payload.reduce((sum, path) => sum + this.bytes(path).length, 0);
    this.text('bag-info.txt', (text) => text.replace(/^Payload-Oxum: .*$/m, `Payload-Oxum: ${size}.${payload.length}`));
    this.repinTags();
  }

  repinTags(): void {
    const tags = [...this.files.keys()].filter((path) => !path.startsWith('data/') && path !== 'tagmanifest-sha256.txt').sort();
    this.files.set(
      'tagmanifest-sha256.txt',
      Buffer.from(tags.map((path) => `${fileSha256(this.bytes(path))}  ${path}\n`).join('')),
    );
  }

  /** They may be those of a good bundle that others read too: whoever changes them changes a copy. */
  bytes(path: string): Buffer {
    const bytes = this.files.get(path);
    if (bytes === undefined) throw new Error(`A good bundle holds ${path}.`);
    return bytes;
  }
}

/** What the plan gives a person's words in an arm. */
function inputOf({ input, crash }: Plan['cases'][number]['arms'][number]): unknown {
  return [input ?? null, crash?.model === 'zombie' ? (crash.other.input ?? null) : null];
}
