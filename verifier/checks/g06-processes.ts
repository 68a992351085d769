/**
 * G6: The producer, every inspector and every arm are different processes, over the whole bundle.
 * Verified: pid and start time together, which name one process of one boot; that answers were written by the recorded pids; that
 * the requests a snapshot added came from its own process, where the system told the provider, and none before that process began;
 * that no role began before the one whose state it continues had ended.
 * Not verified: that pid and start time were read truthfully; requests of which the system did not tell the peer.
 */
import type { Process } from '../contract/types.js';
import type { Snapshot } from '../read/bundle.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type Say } from './check.js';
import { addedRequests, answered } from './derived.js';
import { firstHolder, processName, type Part } from './identities.js';

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
  check({ snapshots }, bundle) {
    const items = snapshots.flatMap((snapshot): Item[] => [
      { snapshot, part: 'process' },
      { snapshot, part: 'inspector' },
    ]);
    return perItem(
      items,
      ({ snapshot }) => whereOfSnapshot(snapshot),
      ({ snapshot, part }, say) => {
        const record = need<{ pid: number; start_time_ticks: string }>(
          part === 'process' ? snapshot.process : snapshot.inspector,
        );
        const holder = firstHolder(bundle, processName(record));
        if (holder !== undefined && (holder.snapshot !== snapshot || holder.part !== part)) {
          const who = `${holder.part === 'process' ? 'the role' : 'the inspector'} of ${holder.snapshot.caseId}/${holder.snapshot.name}`;
          say('process-shared', `This process was already ${who}.`, { file: snapshot.file(`${part}.json`) });
        }
        if (part === 'inspector') return wrote(need(snapshot.inspection).pid, record.pid, snapshot.file('inspection.json'), say);
        if (snapshot.has('answer.json')) wrote(need(snapshot.answer).pid, record.pid, snapshot.file('answer.json'), say);
        livedApart(snapshot, say);
        const peers = addedRequests(snapshot).map(({ received }) => received.peer_pid);
        if (peers.some((peer) => peer !== null && peer !== record.pid)) {
          say('process-shared', 'A request came from another process than the role.', { file: snapshot.file('receipts.jsonl') });
        }
      },
    );
  },
};

/** Harness and provider read one clock, and a log is closed before its state is handed on. */
function livedApart(snapshot: Snapshot, say: Say): void {
  const times = ({ timeline }: Process): bigint[] => timeline.map(({ monotonic_ns: ns }) => BigInt(ns));
  const spawned = need(snapshot.process).timeline.find(({ what }) => what === 'spawned');
  // A role that nobody saw begin is named by G5.
  if (spawned === undefined) return;
  const began = BigInt(spawned.monotonic_ns);
  const { base } = snapshot;
  if (base !== undefined && times(need(base.process)).some((time) => time >= began))
    say('process-shared', 'The role began before the one that it continues had ended.', { file: snapshot.file('process.json') });
  const inherited = base === undefined ? 0 : need(base.receipts).requests.length;
  const handedOn = need(snapshot.receipts).requests.slice(0, inherited);
  if (handedOn.some(({ settled }) => settled !== undefined && BigInt(settled.monotonic_ns) >= began))
    say('process-shared', 'The role began before a request of the one that it continues was over.', {
      file: snapshot.file('receipts.jsonl'),
    });
  const added = addedRequests(snapshot);
  const early = added.find(({ received }) => BigInt(received.monotonic_ns) < began);
  if (early !== undefined)
    say('process-shared', 'A request came before the role began.', {
      file: snapshot.file('receipts.jsonl'),
      seq: early.received.seq,
    });
  // The provider writes its line before it answers, and what completed a role came back while it lived.
  const last = added.at(-1)?.settled;
  const exit = need(snapshot.process).timeline.find(({ what }) => what === 'exit_seen');
  const isAnswer = last?.ended === 'answered' && answered(snapshot) === 'completed';
  if (isAnswer && exit !== undefined && BigInt(last.monotonic_ns) > BigInt(exit.monotonic_ns))
    say('process-shared', 'A role was answered after it had ended.', { file: snapshot.file('receipts.jsonl'), seq: last.seq });
}

function wrote(answered: number, recorded: number, file: string, say: Say): void {
  if (answered !== recorded) say('process-shared', 'The answer was written by another process than the recorded one.', { file });
}
