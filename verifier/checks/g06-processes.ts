/**
 * G6: The producer, every inspector and every arm are different processes.
 * Verified: pid and start time together, which name one process of one boot; that answers were written by the recorded pids; that
 * the requests a snapshot added came from its own process, where the system told the provider.
 * Not verified: that pid and start time were read truthfully; requests of which the system did not tell the peer.
 */
import type { Snapshot } from '../read/bundle.js';
import { need, perItem, type CaseCheck, type Say } from './check.js';

interface Item {
  readonly snapshot: Snapshot;
  readonly part: 'process' | 'inspector';
}

export const g06: CaseCheck = {
  guarantee: 'G6',
  sentence: 'The producer, every inspector and every arm are different processes.',
  covers: 'pid with start time, the pids in answers, the peers of requests where the system told them',
  doesNotCover: 'requests whose peer the system did not tell',
  codes: ['process-shared'],
  scope: 'case',
  check({ snapshots }) {
    const met = new Map<string, string>();
    const items = snapshots.flatMap((snapshot): Item[] => [
      { snapshot, part: 'process' },
      { snapshot, part: 'inspector' },
    ]);
    return perItem(
      items,
      ({ snapshot }) => ({ case: snapshot.caseId, snapshot: snapshot.name, file: null, seq: null }),
      ({ snapshot, part }, say) => {
        const { pid, start_time_ticks: started } = part === 'process' ? need(snapshot.process) : need(snapshot.inspector);
        const name = `${pid}@${started}`;
        const before = met.get(name);
        if (before !== undefined)
          say('process-shared', `This process was already ${before}.`, { file: snapshot.file(`${part}.json`) });
        met.set(name, `${part === 'process' ? 'the role' : 'the inspector'} of ${snapshot.name}`);
        if (part === 'inspector') return wrote(need(snapshot.inspection).pid, pid, snapshot.file('inspection.json'), say);
        if (snapshot.has('answer.json')) wrote(need(snapshot.answer).pid, pid, snapshot.file('answer.json'), say);
        const inherited = snapshot.base === undefined ? 0 : need(snapshot.base.receipts).requests.length;
        const added = need(snapshot.receipts).requests.slice(inherited);
        if (added.some(({ received }) => received.peer_pid !== null && received.peer_pid !== pid)) {
          say('process-shared', 'A request came from another process than the role.', { file: snapshot.file('receipts.jsonl') });
        }
      },
    );
  },
};

function wrote(answered: number, recorded: number, file: string, say: Say): void {
  if (answered !== recorded) say('process-shared', 'The answer was written by another process than the recorded one.', { file });
}
