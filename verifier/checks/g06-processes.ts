/**
 * G6: The producer, every inspector and every arm are different processes, over the whole bundle.
 * Verified: pid and start time together, which name one process of one boot; that answers were written by the recorded pids; that
 * the requests a snapshot added came from its own process, where the system told the provider.
 * Not verified: that pid and start time were read truthfully; requests of which the system did not tell the peer.
 */
import type { Snapshot } from '../read/bundle.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type Say } from './check.js';
import { addedRequests } from './derived.js';
import { firstHolder, processName, type Part } from './identities.js';

interface Item {
  readonly snapshot: Snapshot;
  readonly part: Part;
}

export const g06: CaseCheck = {
  guarantee: 'G6',
  sentence: 'The producer, every inspector and every arm are different processes, over the whole bundle.',
  covers: 'pid with start time, the pids in answers, the peers of requests where the system told them',
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
        const peers = addedRequests(snapshot).map(({ received }) => received.peer_pid);
        if (peers.some((peer) => peer !== null && peer !== record.pid)) {
          say('process-shared', 'A request came from another process than the role.', { file: snapshot.file('receipts.jsonl') });
        }
      },
    );
  },
};

function wrote(answered: number, recorded: number, file: string, say: Say): void {
  if (answered !== recorded) say('process-shared', 'The answer was written by another process than the recorded one.', { file });
}
