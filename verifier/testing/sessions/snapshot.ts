/** The files of one snapshot of the small sessions: what a harness would have recorded of its process and of the inspector. */
import type { Answer, Inspector, Process } from '../../contract/types.js';
import { encodeFloor, encodeLog } from '../../mutations/sessions/encode.js';
import { sessionStateOf } from '../../model/sessions/session-state.js';
import { historyOf } from '../../model/sessions/fold.js';
import { canonical } from '../../read/canonical.js';
import { sha256, textSha256 } from '../../read/hash.js';
import { readSessionLog } from '../../read/session-log.js';
import { beganAt } from '../provider.js';
import type { Ran } from './ran.js';
import { scenarios, scripts } from './scenario.js';

const settings = { node: 'v20.20.2', sync: 'fdatasync' } as const;
type Files = Map<string, Buffer>;
type Moment = Process['timeline'][number]['what'];

function json(files: Files, path: string, value: unknown): void {
  files.set(path, Buffer.from(`${canonical(value)}\n`));
}

export function writeSnapshot(files: Files, folder: string, ran: Ran): void {
  const { book, kill, role, operation, input, refusal, provider = 'charges', scenario = book.scenario } = ran;
  const state = writeState(files, `${folder}state/`, ran);
  const receipts = book.provider.bytes;
  files.set(`${folder}receipts.jsonl`, receipts);
  const { pid } = book;
  const nonce = `nonce-${files.size}`;
  const armed = kill === null ? null : kill.at === 'held' ? 'held' : `${kill.checkpoint}#${kill.occurrence}`;
  const place: Moment = kill?.at === 'held' ? 'held' : 'announced';
  const moments: Moment[] = ['spawned', ...(kill === null ? [] : [place, 'sigkill_sent' as const]), 'exit_seen', 'group_empty'];
  json(files, `${folder}process.json`, {
    ...{ argv: ['node', `runtime/subjects/sessions/${role}.js`], armed, confinement: { cgroup: false, process_group: true } },
    exit: kill === null ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
    ...{ nonce, pgid: pid, pid, role, start_time_ticks: String(2 * files.size), survivors: [], left_behind: [] },
    live_inventory: state,
    receipts: { bytes: receipts.length, lines: book.provider.lines.length, sha256: sha256(receipts) },
    scenario_sha256: textSha256(`${canonical(scenarios[scenario])}\n`),
    script_sha256: textSha256(canonical(scripts[provider])),
    timeline: moments.map((what, order) => ({ monotonic_ns: String(beganAt(book.provider.generation) + 100 * order), what })),
    ...(operation === undefined ? {} : { operation }),
    ...(input === undefined ? {} : { input_sha256: textSha256(`${canonical(input)}\n`) }),
  } satisfies Process);
  if (kill?.at === 'checkpoint')
    json(files, `${folder}checkpoint.jsonl`, { checkpoint: kill.checkpoint, nonce, occurrence: kill.occurrence, pid });
  const egress: Answer['egress'] = { mechanism: 'in-process guard', refused: [] };
  const told = { detail: null, egress, refusal: null, replayed: false, settings };
  if (kill === null)
    json(files, `${folder}answer.json`, {
      ...{ ...told, pid, role, status: refusal === undefined ? 'completed' : 'refused' },
      ...(refusal === undefined ? {} : { session_refusal: refusal }),
    } satisfies Answer);
  const inspector = 5000 + book.provider.generation;
  json(files, `${folder}inspector.json`, {
    ...{ after: state, argv: ['node', 'runtime/subjects/sessions/inspect.js'], before: state, exit: { code: 0, signal: null } },
    ...{ pid: inspector, start_time_ticks: String(2 * files.size + 1) },
  } satisfies Inspector);
  const log = readSessionLog(files.get(`${folder}state/session.wal`) ?? Buffer.alloc(0));
  json(files, `${folder}inspection.json`, {
    ...{ ...told, pid: inspector, role: 'inspect', status: 'completed' },
    log: { frames: log.frames.map((frame) => ({ ...frame })), torn_bytes: log.tornBytes },
    session: { ...sessionStateOf(historyOf(log.records)) },
  } satisfies Answer);
}

/** Inventoried as it lies there. */
function writeState(files: Files, folder: string, { book }: Ran): { path: string; sha256: string; size: number }[] {
  files.set(`${folder}session.wal`, Buffer.concat([encodeLog(book.frames), book.torn]));
  if (book.features.size > 0) files.set(`${folder}wal-feature-floor`, encodeFloor([...book.features]));
  json(files, `${folder}format.json`, { product: 'killpoint', storage: 'wal/v1', subject: 'runtime-sessions' });
  const names = ['format.json', 'session.wal', 'wal-feature-floor'].filter((name) => files.has(folder + name));
  return names.map((path) => {
    const bytes = files.get(`${folder}${path}`) ?? Buffer.alloc(0);
    return { path, sha256: sha256(bytes), size: bytes.length };
  });
}
