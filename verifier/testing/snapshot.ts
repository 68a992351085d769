/**
 * The files of one snapshot of the small bundle: what a harness would have recorded of the processes that acted and of the inspector.
 */
import type { Answer, Group, Inspector, Process } from '../contract/types.js';
import { workStates } from '../model/calls/work-state.js';
import { canonical } from '../read/canonical.js';
import { sha256, textSha256 } from '../read/hash.js';
import { scripts, type MemberRan, type Ran } from './ran.js';
import { beganAt } from './provider.js';
import { elsewhere, scenarios } from './scenario.js';
import { writeLoss } from './power-loss.js';
import { Book } from './world.js';

export const settings = { journal_mode: 'wal', node: 'v20.20.2', sqlite: '3.53.2', synchronous: 2 };

/** What a role exits with for which something failed that its input is not to blame for. */
const failedRole = 70;

type Files = Map<string, Buffer>;
type Moment = Process['timeline'][number]['what'];
type Timeline = [what: Moment, after: number][];

function json(files: Files, path: string, value: unknown): void {
  files.set(path, Buffer.from(`${canonical(value)}\n`));
}

/** One process of a snapshot. */
interface Acted {
  readonly folder: string;
  readonly pid: number;
  /** What nothing else in the bundle has. */
  readonly unique: number;
  readonly armed: string | null;
  readonly timeline: Timeline;
  readonly operation: string | undefined;
  readonly refusal: Ran['refusal'];
  readonly operations: readonly string[] | undefined;
  readonly status: Answer['status'] | null;
}

export function writeSnapshot(files: Files, folder: string, ran: Ran): void {
  const { book, members, kill, expect } = ran;
  const state = ran.unfinished
    ? writeUnfinished(files, `${folder}state/`, ran)
    : writeState(files, `${folder}state/`, book, ran.loss?.commits);
  if (ran.loss !== undefined) writeLoss(files, folder, ran);
  if (ran.trace !== undefined) files.set(`${folder}trace.txt`, traceOf(ran));
  const receipts = book.provider.bytes;
  files.set(`${folder}receipts.jsonl`, receipts);
  const whole = {
    live_inventory: state,
    receipts: { bytes: receipts.length, lines: book.provider.lines.length, sha256: sha256(receipts) },
  };
  if (members === undefined) {
    const { ended = null } = expect;
    const status = kill !== null || ended === 'killed' || ended === 'several' ? null : ended;
    const { operation, operations, refusal } = ran;
    const acted = { folder, pid: book.pid, unique: files.size, operation, operations, refusal, status };
    writeRole(files, ran, { ...acted, armed: armedBy(ran), timeline: alone(ran) }, whole);
  } else {
    const model = ran.crash?.model === 'zombie' ? 'zombie' : 'race';
    const overlap = model === 'race' ? members.length : 0;
    const ids = members.map(({ id }) => id);
    json(files, `${folder}group.json`, { model, members: ids, overlap, ...whole } satisfies Group);
    for (const member of members) {
      const acted = memberActed(files, folder, ran, member);
      const { movedAway } = member;
      const own = movedAway === undefined ? [] : writeState(files, `${acted.folder}state/`, movedAway);
      writeRole(files, ran, acted, { live_inventory: own, receipts: null });
    }
  }
  writeInspection(files, folder, book, state, ran.unfinished ?? false);
}

function armedBy({ kill, trace }: Ran): string | null {
  if (kill === null) return trace?.armed ?? null;
  if (kill.at === 'call') return `syscall:${kill.name}#${kill.nth}`;
  return kill.at === 'held' ? 'held' : `${kill.checkpoint}#${kill.occurrence}`;
}

/** What is seen first comes before every request of the role, and the rest after them. */
function alone({ kill }: Ran): Timeline {
  const place: Moment = kill?.at === 'held' ? 'held' : 'announced';
  const between: Moment[] = kill === null || kill.at === 'call' ? [] : [place, 'sigkill_sent'];
  return (['spawned', ...between, 'exit_seen', 'group_empty'] as const).map((what, order) => [what, 100 * order]);
}

function memberActed(
  files: Files,
  folder: string,
  { crash, operation }: Ran,
  { id, pid, operations, refusal, failed = false }: MemberRan,
): Acted {
  const ended = failed ? 'failed' : 'completed';
  const status = refusal === undefined ? ended : 'refused';
  const common = { folder: `${folder}members/${id}/`, pid, unique: files.size, refusal, operations, status } as const;
  const end: Timeline = [
    ['exit_seen', 300],
    ['group_empty', 400],
  ];
  if (crash?.model === 'race')
    return {
      ...common,
      operation,
      armed: 'projection.read#1',
      timeline: [['spawned', 0], ['announced', 100], ['released', 200], ...end],
    };
  if (crash?.model !== 'zombie') throw new Error('Only a race and a stopped owner have members.');
  if (id === 'other')
    return {
      ...common,
      operation: crash.other.operation,
      armed: null,
      timeline: [
        ['spawned', 6],
        ['exit_seen', 100],
        ['group_empty', 110],
      ],
    };
  const { checkpoint, occurrence } = crash.stop;
  const stopped: Timeline = [
    ['spawned', 0],
    ['announced', 1],
    ['sigstop_sent', 2],
    ['stopped', 3],
  ];
  if (crash.defeat !== 'none') stopped.push(['folder_defeated', 4]);
  return {
    ...common,
    operation,
    armed: `${checkpoint}#${occurrence}`,
    timeline: [...stopped, ['released', 200], ['sigcont_sent', 210], ...end],
  };
}

function writeRole(files: Files, ran: Ran, acted: Acted, whole: Pick<Process, 'receipts' | 'live_inventory'>): void {
  const { folder, pid, unique, armed, timeline, operation, operations, refusal, status } = acted;
  const { book, role, scenario = 'review', provider = 'answers' } = ran;
  const nonce = `nonce-${unique}`;
  const code = refusal?.error === 'OwnerAlive' ? 64 : 0;
  json(files, `${folder}process.json`, {
    ...{ argv: ['node', `runtime/subjects/${role}.js`], armed, confinement: { cgroup: false, process_group: true } },
    exit: status === null ? endOf(ran) : { code, signal: null },
    ...{ ...whole, nonce, pgid: pid, pid, role, start_time_ticks: String(2 * unique), survivors: [], left_behind: [] },
    scenario_sha256: textSha256(`${canonical(scenarios[scenario])}\n`),
    script_sha256: textSha256(canonical(scripts[provider])),
    timeline: timeline.map(([what, after]) => ({ monotonic_ns: String(beganAt(book.provider.generation) + after), what })),
    ...(operation === undefined ? {} : { operation }),
    ...(ran.input === undefined ? {} : { input_sha256: textSha256(`${canonical(ran.input)}\n`) }),
  } satisfies Process);
  const [checkpoint, occurrence] = armed?.split('#') ?? [];
  if (occurrence !== undefined && !armed?.startsWith('syscall:'))
    json(files, `${folder}checkpoint.jsonl`, { checkpoint, nonce, occurrence: Number(occurrence), pid });
  if (status === null) return;
  const refused = Array.from({ length: ran.egress ?? 0 }, () => elsewhere);
  const told = operation === undefined ? {} : { operations: [...(operations ?? [])] as NonNullable<Answer['operations']> };
  json(files, `${folder}answer.json`, {
    ...{ detail: null, egress: { mechanism: 'in-process guard', refused }, pid, refusal: refusal ?? null },
    ...{ replayed: false, role, settings, status, ...told },
  } satisfies Answer);
}

/** Without an answer: killed, or failed where a call did. */
function endOf({ trace }: Ran): Process['exit'] {
  return trace?.failed ? { code: failedRole, signal: null } : { code: null, signal: 'SIGKILL' };
}

function traceOf({ book: { pid }, kill, trace }: Ran): Buffer {
  const { calls = [] } = trace ?? {};
  const last = trace?.failed ? '-1 EIO (Input/output error) (INJECTED)' : '?';
  const cameBack = (call: string): string => /^p?write(?:64)?\([^,]*, ""\.\.\., (\d+)/.exec(call)?.[1] ?? '0';
  const isStruck = (index: number): boolean => index === calls.length - 1 && (kill !== null || trace?.failed === true);
  const lines = calls.map((call, index) => `${pid} ${call} = ${isStruck(index) ? last : cameBack(call)}\n`);
  const end = kill === null ? `exited with ${trace?.failed ? failedRole : 0}` : 'killed by SIGKILL';
  return Buffer.from([...lines, `${pid} +++ ${end} +++\n`].join(''));
}

/** Its producer died when it had named the ledger and not the format record, or could not write the format record that it made. */
function writeUnfinished(files: Files, folder: string, { trace }: Ran): Inspector['before'] {
  const [path, bytes] =
    trace?.failed === true
      ? (['format.json.new', Buffer.alloc(0)] as const)
      : (['ledger.sqlite', new Book().ledgerBytes().db] as const);
  files.set(folder + path, bytes);
  return [{ path, sha256: sha256(bytes), size: bytes.length }];
}

/** Inventoried as it lies there. */
function writeState(
  files: Files,
  folder: string,
  book: Book,
  commits?: readonly number[],
): { path: string; sha256: string; size: number }[] {
  const { db, wal } = book.ledgerBytes(commits);
  files.set(`${folder}ledger.sqlite`, db);
  files.set(`${folder}ledger.sqlite-wal`, wal);
  json(files, `${folder}format.json`, { product: 'killpoint', storage: 'ledger/v1', subject: 'runtime-calls' });
  return ['format.json', 'ledger.sqlite', 'ledger.sqlite-wal'].map((path) => {
    const bytes = files.get(`${folder}${path}`) ?? Buffer.alloc(0);
    return { path, sha256: sha256(bytes), size: bytes.length };
  });
}

function writeInspection(files: Files, folder: string, book: Book, state: Inspector['before'], unfinished: boolean): void {
  const pid = 5000 + book.provider.generation;
  json(files, `${folder}inspector.json`, {
    ...{
      after: state,
      argv: ['node', 'runtime/subjects/inspect.js'],
      before: state,
      exit: { code: unfinished ? 64 : 0, signal: null },
      pid,
    },
    start_time_ticks: String(2 * files.size + 1),
  } satisfies Inspector);
  const told = {
    detail: null,
    egress: { mechanism: 'in-process guard' as const, refused: [] },
    pid,
    replayed: false,
    role: 'inspect' as const,
  };
  if (unfinished) {
    const refusal = { call_id: null, drift: [], error: 'StateUnfinished' as const, hazard: null, operation: null };
    const unopened = { ...settings, journal_mode: 'unopened', synchronous: 0 };
    json(files, `${folder}inspection.json`, { ...told, refusal, settings: unopened, status: 'refused' } satisfies Answer);
    return;
  }
  json(files, `${folder}inspection.json`, {
    ...{ detail: null, egress: { mechanism: 'in-process guard', refused: [] }, pid, refusal: null, replayed: false },
    ...{ role: 'inspect', settings, status: 'completed', events: book.events, projections: projectionsOf(book) },
    artifacts: [...book.artifacts]
      .sort()
      .map(([hash, { bytes, media_type }]) => ({ media_type, sha256: hash, size: bytes.length })),
  } satisfies Answer);
}

function projectionsOf(book: Book): NonNullable<Answer['projections']> {
  const reason = 'as recorded';
  return workStates(book.events).map((state) => ({
    ...state,
    task: { ...state.task, reason },
    calls: state.calls.map((call) => ({ ...call, reason })),
    compilations: state.compilations.map((one) => ({ ...one, reason })),
  }));
}
