/**
 * G6: The producer, every inspector and every arm are different processes, over the whole bundle.
 * Verified: pid and start time together, which name one process of one boot; that answers were written by the recorded pids; that
 * the requests a snapshot added came from its own process, where the system told the provider, and none before that process began;
 * that no role began before the one whose state it continues had ended.
 * Not verified: that pid and start time were read truthfully; requests of which the system did not tell the peer.
 */
import type { Process } from '../contract/types.js';
import type { Snapshot } from '../read/bundle.js';
import type { RoleEvidence } from '../read/role.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type Say } from './check.js';
import { addedRequests, inheritedLines, ownLines } from './derived.js';
import { firstHolder, processName, type Part } from './identities.js';
import type { Sent, SubjectModel } from './subject-model.js';

interface Item {
  readonly snapshot: Snapshot;
  readonly part: Part;
}

export const g06: CaseCheck = {
  guarantee: 'G6',
  sentence: 'The producer, every inspector and every arm are different processes, over the whole bundle.',
  covers:
    'pid with start time, the pids in answers, the peers of requests where the system told them; by the clock of the run, that roles of one line follow each other and that no request came before its role',
  doesNotCover: 'requests whose peer the system did not tell',
  codes: ['process-shared'],
  scope: 'case',
  across: true,
  check({ snapshots }, bundle, model) {
    const items = snapshots.flatMap((snapshot): Item[] => [
      ...snapshot.roles.map((role) => ({ snapshot, part: role })),
      { snapshot, part: 'inspector' },
    ]);
    return perItem(
      items,
      ({ snapshot }) => whereOfSnapshot(snapshot),
      ({ snapshot, part }, say) => {
        const inspects = part === 'inspector';
        const record = need<{ pid: number; start_time_ticks: string }>(inspects ? snapshot.inspector : part.process);
        const holder = firstHolder(bundle, processName(record));
        if (holder !== undefined && (holder.snapshot !== snapshot || holder.part !== part)) {
          const who = `${holder.part === 'inspector' ? 'the inspector' : 'the role'} of ${holder.snapshot.caseId}/${holder.snapshot.name}`;
          const file = inspects ? snapshot.file('inspector.json') : part.file('process.json');
          say('process-shared', `This process was already ${who}.`, { file });
        }
        if (inspects) return wrote(need(snapshot.inspection).pid, record.pid, snapshot.file('inspection.json'), say);
        if (part.has('answer.json')) wrote(need(part.answer).pid, record.pid, part.file('answer.json'), say);
        livedApart(snapshot, part, say);
        // Each request is judged once, with the first of several roles.
        if (part === snapshot.roles[0]) peersWrong(snapshot, model, say);
      },
    );
  },
};

function peersWrong(snapshot: Snapshot, model: SubjectModel, say: Say): void {
  const pids = new Set(snapshot.roles.map(({ process }) => need(process).pid));
  const isForeign = (line: Sent): boolean => line.peer_pid !== null && !pids.has(line.peer_pid);
  if (ownLines(snapshot).some((line) => isForeign(line) && !model.isOfChild(snapshot, line)))
    say('process-shared', 'A request came from another process than the role.', { file: snapshot.file('receipts.jsonl') });
}

/** Harness and provider read one clock, and a log is closed before its state is handed on. */
function livedApart(snapshot: Snapshot, role: RoleEvidence, say: Say): void {
  const times = ({ timeline }: Process): bigint[] => timeline.map(({ monotonic_ns: ns }) => BigInt(ns));
  const { pid, timeline } = need(role.process);
  const spawned = timeline.find(({ what }) => what === 'spawned');
  // A role that nobody saw begin is named by G5.
  if (spawned === undefined) return;
  const began = BigInt(spawned.monotonic_ns);
  const { base } = snapshot;
  if (base?.roles.some(({ process }) => times(need(process)).some((time) => time >= began)) === true)
    say('process-shared', 'The role began before the one that it continues had ended.', { file: role.file('process.json') });
  const file = snapshot.file('receipts.jsonl');
  const inherited = inheritedLines(snapshot);
  const handedOn = need(snapshot.receipts).all.filter(({ received }) => received.seq <= inherited);
  if (handedOn.some(({ settled }) => settled !== undefined && BigInt(settled.monotonic_ns) >= began))
    say('process-shared', 'The role began before a request of the one that it continues was over.', { file });
  // Of several processes, a request whose peer is not known may be that of any.
  const isOwn = ({ peer_pid: peer }: { peer_pid: number | null }): boolean => snapshot.roles.length === 1 || peer === pid;
  const early = ownLines(snapshot).find((line) => isOwn(line) && BigInt(line.monotonic_ns) < began);
  if (early !== undefined) say('process-shared', 'A request came before the role began.', { file, seq: early.seq });
  // The provider writes its line before it answers, and what completed a role came back while it lived.
  const added = addedRequests(snapshot).filter(({ received }) => received.delayed === undefined && isOwn(received));
  const last = added.at(-1)?.settled;
  const exit = timeline.find(({ what }) => what === 'exit_seen');
  const isAnswer = last?.ended === 'answered' && role.answer.value?.status === 'completed';
  if (isAnswer && exit !== undefined && BigInt(last.monotonic_ns) > BigInt(exit.monotonic_ns))
    say('process-shared', 'A role was answered after it had ended.', { file, seq: last.seq });
}

function wrote(answered: number, recorded: number, file: string, say: Say): void {
  if (answered !== recorded) say('process-shared', 'The answer was written by another process than the recorded one.', { file });
}
