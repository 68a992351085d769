/** The files of one snapshot of the small sessions: what a harness would have recorded of its processes and of the inspector. */
import type { Answer, Group, Inspector, Process } from '../../contract/types.js';
import { encodeFloor, encodeLog } from '../../mutations/sessions/encode.js';
import { sessionStateOf } from '../../model/sessions/session-state.js';
import { historyOf } from '../../model/sessions/fold.js';
import { canonical } from '../../read/canonical.js';
import { sha256, textSha256 } from '../../read/hash.js';
import { readSessionLog } from '../../read/session-log.js';
import { beganAt } from '../provider.js';
import type { Acted, Moment } from './acted.js';
import type { SessionBook } from './book.js';
import { memberActed } from './members.js';
import type { Ran } from './ran.js';
import { scenarios, scripts } from './scenario.js';

const settings = { node: 'v20.20.2', sync: 'fdatasync' } as const;
type Files = Map<string, Buffer>;

const egress: Answer['egress'] = { mechanism: 'in-process guard', refused: [] };
const ownerAlive = { call_id: null, drift: [], error: 'OwnerAlive', hazard: null, operation: null } satisfies Answer['refusal'];

function json(files: Files, path: string, value: unknown): void {
  files.set(path, Buffer.from(`${canonical(value)}\n`));
}

export function writeSnapshot(files: Files, folder: string, ran: Ran): void {
  const { book, members, crash } = ran;
  const state = writeState(files, `${folder}state/`, book);
  const receipts = book.provider.bytes;
  files.set(`${folder}receipts.jsonl`, receipts);
  const whole = {
    live_inventory: state,
    receipts: { bytes: receipts.length, lines: book.provider.lines.length, sha256: sha256(receipts) },
  };
  if (members === undefined) writeRole(files, ran, alone(folder, ran), whole);
  else {
    const model = crash?.model === 'zombie' ? 'zombie' : 'race';
    const overlap = model === 'race' ? members.length : 0;
    json(files, `${folder}group.json`, { model, members: members.map(({ id }) => id), overlap, ...whole } satisfies Group);
    for (const member of members) {
      const acted = memberActed(folder, ran, member);
      const own = member.movedAway === undefined ? [] : writeState(files, `${acted.folder}state/`, member.movedAway);
      writeRole(files, ran, acted, { live_inventory: own, receipts: null });
    }
  }
  writeInspection(files, folder, book, state);
}

/** What is seen first comes before every request of the role, and the rest after them. */
function alone(folder: string, { book, kill, operation, input, refusal }: Ran): Acted {
  const place: Moment = kill?.at === 'held' ? 'held' : 'announced';
  const moments: Moment[] = ['spawned', ...(kill === null ? [] : [place, 'sigkill_sent' as const]), 'exit_seen', 'group_empty'];
  return {
    ...{ folder, pid: book.pid, operation, input, refusal },
    armed: kill === null ? null : kill.at === 'held' ? 'held' : `${kill.checkpoint}#${kill.occurrence}`,
    timeline: moments.map((what, order) => [what, 100 * order] as const),
    status: kill !== null ? null : refusal === undefined ? 'completed' : 'refused',
  };
}

function writeRole(files: Files, ran: Ran, acted: Acted, whole: Pick<Process, 'receipts' | 'live_inventory'>): void {
  const { folder, pid, armed, timeline, operation, input, refusal, status } = acted;
  const { book, role, provider = 'charges', scenario = book.scenario } = ran;
  const nonce = `nonce-${files.size}`;
  const isAlive = refusal === 'OwnerAlive';
  json(files, `${folder}process.json`, {
    ...{ argv: ['node', `runtime/subjects/sessions/${role}.js`], armed, confinement: { cgroup: false, process_group: true } },
    exit: status === null ? { code: null, signal: 'SIGKILL' } : { code: isAlive ? 64 : 0, signal: null },
    ...{ nonce, pgid: pid, pid, role, start_time_ticks: String(2 * files.size), survivors: [], left_behind: [], ...whole },
    scenario_sha256: textSha256(`${canonical(scenarios[scenario])}\n`),
    script_sha256: textSha256(canonical(scripts[provider])),
    timeline: timeline.map(([what, after]) => ({ monotonic_ns: String(beganAt(book.provider.generation) + after), what })),
    ...(operation === undefined ? {} : { operation }),
    ...(input === undefined ? {} : { input_sha256: textSha256(`${canonical(input)}\n`) }),
  } satisfies Process);
  const [checkpoint, occurrence] = armed?.split('#') ?? [];
  if (occurrence !== undefined)
    json(files, `${folder}checkpoint.jsonl`, { checkpoint, nonce, occurrence: Number(occurrence), pid });
  if (status === null) return;
  json(files, `${folder}answer.json`, {
    ...{ detail: null, egress, refusal: isAlive ? ownerAlive : null, replayed: false, settings, pid, role, status },
    ...(refusal === undefined || isAlive ? {} : { session_refusal: refusal }),
  } satisfies Answer);
}

function writeInspection(files: Files, folder: string, { provider }: SessionBook, state: Inspector['before']): void {
  const pid = 5000 + provider.generation;
  json(files, `${folder}inspector.json`, {
    ...{ after: state, argv: ['node', 'runtime/subjects/sessions/inspect.js'], before: state, exit: { code: 0, signal: null } },
    ...{ pid, start_time_ticks: String(2 * files.size + 1) },
  } satisfies Inspector);
  const log = readSessionLog(files.get(`${folder}state/session.wal`) ?? Buffer.alloc(0));
  json(files, `${folder}inspection.json`, {
    ...{ detail: null, egress, refusal: null, replayed: false, settings, pid, role: 'inspect', status: 'completed' },
    log: { frames: log.frames.map((frame) => ({ ...frame })), torn_bytes: log.tornBytes },
    session: { ...sessionStateOf(historyOf(log.records)) },
  } satisfies Answer);
}

/** Inventoried as it lies there. */
function writeState(files: Files, folder: string, book: SessionBook): { path: string; sha256: string; size: number }[] {
  files.set(`${folder}session.wal`, Buffer.concat([encodeLog(book.frames), book.torn]));
  if (book.features.size > 0) files.set(`${folder}wal-feature-floor`, encodeFloor([...book.features]));
  json(files, `${folder}format.json`, { product: 'killpoint', storage: 'wal/v1', subject: 'runtime-sessions' });
  const names = ['format.json', 'session.wal', 'wal-feature-floor'].filter((name) => files.has(folder + name));
  return names.map((path) => {
    const bytes = files.get(`${folder}${path}`) ?? Buffer.alloc(0);
    return { path, sha256: sha256(bytes), size: bytes.length };
  });
}
