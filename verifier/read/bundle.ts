/**
 * A tree of bytes → the evidence, arranged as the plan arranges it: cases, and in each its snapshots in plan order. Everything is
 * read on first use and kept, so that a check sees either a typed value or the reason why there is none.
 */
import type { Answer, Case, CheckpointLine, Execution, Group, Inspector, Plan, Process } from '../contract/types.js';
import * as shape from '../contract/validators.js';
import type { Ledger } from './events.js';
import { attempt, bytesOf, readFact, type Read, type Source } from './facts.js';
import { Memory } from './memory.js';
import { isCut, snapshotsOf, type PlannedCase, type PlannedSnapshot } from './plan.js';
import { readPlan } from './plan-file.js';
import { readReceipts, type ReceiptLog } from './receipts.js';
import type { Found } from './ratchet.js';
import { LossEvidence, type LossPlace } from './loss.js';
import { asLeft, type Beginning } from './power-loss-arm.js';
import { memberIds, ownsMovedFolder, RoleEvidence } from './role.js';
import type { SessionLog } from './session-log.js';
import { StateEvidence, type StateFile, type StateTrouble } from './state.js';
import { readTrace, type Trace } from './trace.js';
import type { Tree } from './tree.js';

/** What the provider answered when the prefix of a snapshot closed. */
export type Seal = Process['receipts'];

/** What was read of a snapshot so far. */
interface Kept {
  group?: Read<Group>;
  closed?: Read<Seal>;
  inspector?: Read<Inspector>;
  inspection?: Read<Answer>;
  receipts?: Read<ReceiptLog>;
  trace?: Read<Trace>;
}

export class Snapshot {
  readonly name: string;
  /** The role processes that acted: one, or in a group one for each member, in the order of the plan. */
  readonly roles: readonly RoleEvidence[];
  /** What lay at the path of the state folder when everybody had ended. */
  readonly state: StateEvidence;
  /** The folder that was moved away from a stopped owner; undefined where the plan moves none. */
  readonly movedAway: StateEvidence | undefined;
  /** The only role of an ordinary snapshot; of a group there is none, and its files are not there. */
  private readonly alone: RoleEvidence;
  private readonly folder: string;
  private readonly kept: Kept = {};

  constructor(
    private readonly source: Source,
    readonly caseId: string,
    readonly planned: PlannedSnapshot,
    /** The snapshot that this one continues; undefined for the producer. */
    readonly base: Snapshot | undefined,
    private readonly paths: readonly string[],
    /** Of an arm under power loss; undefined elsewhere. */
    readonly loss?: LossEvidence,
    /** Of an arm as a power loss left it: the arm itself, which ran on. */
    readonly ranOn?: Snapshot,
  ) {
    this.name = planned.id;
    this.folder = `data/cases/${caseId}/${planned.id}/`;
    this.alone = new RoleEvidence(source, this.folder, null);
    this.roles =
      planned.crash === null
        ? [this.alone]
        : memberIds(planned.crash).map((id) => new RoleEvidence(source, `${this.folder}members/${id}/`, id));
    const listed = (record: Read<Group> | Read<Process>): Read<StateFile[]> => part(record, ({ live_inventory: live }) => live);
    this.state = new StateEvidence(source, this.file('state/'), paths, () => listed(this.group ?? this.process), this.trouble);
    const owner = this.roles.find((role) => ownsMovedFolder(planned.crash, role));
    this.movedAway = owner && new StateEvidence(source, owner.file('state/'), paths, () => listed(owner.process));
  }

  file(name: string): string {
    return this.folder + name;
  }

  /** Something of the snapshot is there; if nothing is, G3 says so and nothing else has to. */
  get present(): boolean {
    return this.paths.length > 0;
  }

  /** The files of the snapshot, below its folder. */
  get names(): string[] {
    return this.paths.map((path) => path.slice(this.folder.length));
  }

  has(name: string): boolean {
    return this.source.files.has(this.file(name));
  }

  /** From the producer to this snapshot. */
  get lineage(): Snapshot[] {
    return this.base === undefined ? [this] : [...this.base.lineage, this];
  }

  /** Facts about the several processes that acted here; undefined where the plan has one act. */
  get group(): Read<Group> | undefined {
    if (this.planned.crash === null) return undefined;
    return (this.kept.group ??= this.fact('group.json', shape.validateGroup, 'a group record'));
  }

  get process(): Read<Process> {
    return this.alone.process;
  }

  get answer(): Read<Answer> {
    return this.alone.answer;
  }

  get checkpoint(): Read<CheckpointLine[]> {
    return this.alone.checkpoint;
  }

  /** The seal of the receipts, from the record of the role or of the group. */
  get closed(): Read<Seal> {
    return (this.kept.closed ??= part(this.group ?? this.process, ({ receipts }) => receipts));
  }

  get inspector(): Read<Inspector> {
    return (this.kept.inspector ??= this.fact('inspector.json', shape.validateInspector, 'an inspector record'));
  }

  get inspection(): Read<Answer> {
    return (this.kept.inspection ??= this.fact('inspection.json', shape.validateAnswer, 'an answer'));
  }

  get receipts(): Read<ReceiptLog> {
    return (this.kept.receipts ??= this.readReceipts());
  }

  /** What the tracer told of the role; only where the plan has one. */
  get trace(): Read<Trace> {
    return (this.kept.trace ??= traceIn(this.source, this.folder, this.planned.traced?.family ?? 'writes'));
  }

  /** The record that whoever continues this snapshot begins with. */
  get ledger(): Read<Ledger> {
    return this.state.ledger;
  }

  /** The same of a session. */
  get log(): Read<SessionLog> {
    return this.state.log;
  }

  /** Every state folder of which the bundle holds a copy. */
  get states(): StateEvidence[] {
    return this.movedAway === undefined ? [this.state] : [this.state, this.movedAway];
  }

  /** Who is killed before a system call, or by a power loss, or for whom a call failed, may not have come to the end of a creation. */
  private get trouble(): StateTrouble {
    const { role, powerLoss } = this.planned;
    const lostPower = powerLoss !== null && powerLoss.begins !== null;
    if (!isCut(this.planned)) return { unfinished: 'never', lostPower };
    if (lostPower) return { unfinished: 'where-it-has-no-format', lostPower };
    const isFirst = role === 'produce' && this.base === undefined;
    return { unfinished: isFirst ? 'where-it-holds-nothing' : 'never', lostPower };
  }

  private fact<T>(name: string, validate: shape.Validator<T>, what: string): Read<T> {
    return readFact(this.source, this.file(name), validate, what);
  }

  private readReceipts(): Read<ReceiptLog> {
    const file = this.file('receipts.jsonl');
    return attempt(file, () => readReceipts(bytesOf(this.source.files, file), this.source.memory));
  }
}

function traceIn({ files }: Source, folder: string, family: Parameters<typeof readTrace>[1]): Read<Trace> {
  const file = `${folder}trace.txt`;
  return attempt(file, () => readTrace(bytesOf(files, file), family));
}

function part<T>(record: Read<Group> | Read<Process>, of: (record: Group | Process) => T): Read<T> {
  return record.problem === undefined ? { value: of(record.value) } : { problem: record.problem };
}

export interface CaseEvidence {
  readonly id: string;
  readonly planned: PlannedCase;
  readonly record: Read<Case>;
  readonly snapshots: readonly Snapshot[];
  /** Why the case proves nothing, where the harness recorded it so. */
  readonly void: string | null;
}

export interface Bundle {
  readonly tree: Tree;
  readonly planBytes: Buffer | undefined;
  readonly plan: Read<Plan>;
  readonly execution: Read<Execution>;
  readonly cases: readonly CaseEvidence[];
  /** Folders below data/cases, planned or not, with the folders below each. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>;
}

/** `unchanged`: cases that were read before, of which this tree holds the same files under the same plan. */
export function readBundle(tree: Tree, memory = new Memory(), unchanged: readonly CaseEvidence[] = []): Bundle {
  const { files } = tree;
  const source = { files, memory };
  const plan = planIn(source);
  const execution = readFact(source, 'data/execution.json', shape.validateExecution, 'an execution record');
  const folders = new Map<string, Set<string>>();
  const pathsOf = new Map<string, string[]>();
  for (const path of files.keys()) {
    const [data, cases, caseId = '', inside = '', ...rest] = path.split('/');
    if (data !== 'data' || cases !== 'cases' || inside === '') continue;
    const below = folders.get(caseId) ?? new Set<string>();
    if (rest.length > 0) below.add(inside);
    folders.set(caseId, below);
    const key = `${caseId}/${inside}`;
    const known = pathsOf.get(key);
    if (known === undefined) pathsOf.set(key, [path]);
    else known.push(path);
  }
  const known = new Map(unchanged.map((one) => [one.id, one]));
  const cases = (plan.value?.cases ?? []).map((planned) => known.get(planned.id) ?? caseEvidence(source, planned, pathsOf));
  return { tree, planBytes: files.get('data/plan.json'), plan, execution, cases, folders };
}

function planIn({ files, memory }: Source): Read<Plan> {
  const bytes = files.get('data/plan.json');
  const plan = bytes && memory.plans.get(bytes);
  if (plan !== undefined) return plan;
  const read = attempt('data/plan.json', () => readPlan(bytesOf(files, 'data/plan.json')));
  if (bytes !== undefined) memory.plans.set(bytes, read);
  return read;
}

type PathsOf = ReadonlyMap<string, readonly string[]>;

function caseEvidence(source: Source, planned: PlannedCase, pathsOf: PathsOf): CaseEvidence {
  const record = readFact(source, `data/cases/${planned.id}/case.json`, shape.validateCase, 'a case record');
  const losses = new Map<string, LossEvidence>();
  for (const arm of snapshotsOf(planned)) {
    const place = lossPlace(planned.id, arm, pathsOf);
    if (place !== null) losses.set(arm.id, new LossEvidence(source, place));
  }
  const snapshots = new Map<string, Snapshot>();
  for (const part of snapshotsOf(planned, foundIn(source, planned, losses))) {
    const { id, powerLoss } = part;
    const loss = powerLoss === null ? undefined : losses.get(powerLoss.arm);
    const from = part.from === null ? undefined : snapshots.get(part.from);
    const begins = powerLoss?.begins ?? null;
    const base = begins === null || from === undefined || loss === undefined ? from : leftBy(from, loss, begins, source);
    const own = begins === null ? loss : undefined;
    snapshots.set(id, new Snapshot(source, planned.id, part, base, pathsOf.get(`${planned.id}/${id}`) ?? [], own));
  }
  const reason = record.value?.void ?? null;
  return { id: planned.id, planned, record, snapshots: [...snapshots.values()], void: reason === null ? null : reason.reason };
}

/** Null where the arm is none under power loss. */
function lossPlace(caseId: string, { id, from, powerLoss }: PlannedSnapshot, pathsOf: PathsOf): LossPlace | null {
  if (powerLoss === null) return null;
  const folder = (name: string): string => `data/cases/${caseId}/${name}/`;
  const before = from === null ? null : { folder: folder(from), paths: pathsOf.get(`${caseId}/${from}`) ?? [] };
  return { folder: folder(id), from: before, crash: powerLoss.crash };
}

/** An arm as a power loss left it. It has the name of the arm, and no folder: whoever carries on from it was given it. */
function leftBy(arm: Snapshot, loss: LossEvidence, begins: Beginning, { memory }: Source): Snapshot {
  const files = loss.filesOf(begins);
  return new Snapshot({ files, memory }, arm.caseId, asLeft(arm.planned, begins), arm.base, [...files.keys()], undefined, arm);
}

/** What is found of the arms whose snapshots no plan can count. */
function foundIn(source: Source, { id, arms }: PlannedCase, losses: ReadonlyMap<string, LossEvidence>): Found {
  return {
    calls(arm) {
      const crash = arms.find((one) => one.id === arm)?.crash;
      const family = crash?.model === 'syscall-kill' || crash?.model === 'io-fault' ? crash.family : 'writes';
      return traceIn(source, `data/cases/${id}/${arm}/`, family).value?.calls ?? [];
    },
    isMade: (snapshot) => source.files.has(`data/cases/${id}/${snapshot}/state/format.json`),
    beginnings: (arm) => losses.get(arm)?.beginnings ?? [],
  };
}
