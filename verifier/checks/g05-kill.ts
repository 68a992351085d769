/**
 * G5: A kill counts only if the harness sent SIGKILL after the process announced the armed place (or the provider held its request)
 * with its nonce and pid, the process ended by signal 9 and by nothing else, and nobody of its group was left; every other role
 * ended by itself as its answer says, and left nobody behind.
 * Verified: the armed place against the plan, the line on descriptor 3, nonces over the whole bundle, the order of the timeline, the
 * wait status, survivors; for a process that the plan does not kill, its exit code against its answer.
 * Not verified: that the harness told the truth about what it saw; processes outside group and cgroup.
 */
import type { Process } from '../contract/types.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { firstHolder, nonceName } from './identities.js';

type Moment = Process['timeline'][number]['what'];
type Kill = NonNullable<Snapshot['planned']['kill']>;
type Unproven = (detail: string, file?: string) => void;

/** What the timeline must hold, once each and in this order, and nothing else. */
const moments = {
  checkpoint: ['spawned', 'announced', 'sigkill_sent', 'exit_seen', 'group_empty'],
  held: ['spawned', 'held', 'sigkill_sent', 'exit_seen', 'group_empty'],
  itself: ['spawned', 'exit_seen', 'group_empty'],
} satisfies Record<string, Moment[]>;

/** A role that refused its input because the owner lives exits 64; any other that answered exits 0. */
const refusedInput = 64;

export const g05: CaseCheck = {
  guarantee: 'G5',
  sentence:
    'A kill counts only if the harness sent SIGKILL after the process announced the armed place (or the provider held its request) with its nonce and pid, the process ended by signal 9 and by nothing else, and nobody of its group was left; every other role ended by itself as its answer says, and left nobody behind.',
  covers:
    'the armed place, the line on descriptor 3, nonces over the whole bundle, the timeline, the wait status, survivors; the exit code and the answer of what was not to be killed',
  doesNotCover: 'whether the harness recorded what it saw; processes that left both group and cgroup',
  codes: ['kill-unproven'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(
      snapshots,
      () => 1,
      (snapshot, say) => {
        const unproven: Unproven = (detail, file = 'process.json') => say('kill-unproven', detail, { file: snapshot.file(file) });
        const record = need(snapshot.process);
        const { kill } = snapshot.planned;
        if (record.survivors.length > 0) unproven('Somebody of the group was left.');
        if ((snapshot.inspector.value?.left_behind ?? []).length > 0)
          unproven('An inspector left processes behind.', 'inspector.json');
        // Whoever is left behind is looked for in the group.
        if (!record.confinement.process_group || record.pgid !== record.pid)
          unproven('The process did not lead a group of its own.');
        timelineWrong(record, kill?.at ?? 'itself', unproven);
        nonceWrong(bundle, snapshot, record, unproven);
        if (kill === null) return ownEnd(snapshot, record, unproven);
        killedEnd(record, unproven);
        placeWrong(snapshot, record, kill, unproven);
      },
    ),
};

function timelineWrong({ timeline }: Process, end: keyof typeof moments, unproven: Unproven): void {
  if (timeline.some(({ what }) => what === 'deadline')) return unproven('A deadline passed.');
  const seen = [...timeline].sort((left, right) => Number(BigInt(left.monotonic_ns) - BigInt(right.monotonic_ns)));
  const inOrder = seen.map(({ what }) => what).join() === moments[end].join();
  // Two moments of one instant have no order.
  const apart = new Set(timeline.map(({ monotonic_ns: ns }) => ns)).size === timeline.length;
  if (!inOrder || !apart) unproven(`What was seen is not ${moments[end].join(', ')}, once each and one after the other.`);
}

function nonceWrong(bundle: Bundle, snapshot: Snapshot, record: Process, unproven: Unproven): void {
  const holder = firstHolder(bundle, nonceName(record));
  if (holder !== undefined && holder.snapshot !== snapshot) unproven('The nonce was that of another process before.');
}

function ownEnd(snapshot: Snapshot, { armed, exit, left_behind: left }: Process, unproven: Unproven): void {
  if (armed !== null) unproven('A process was armed that the plan does not kill.');
  if (snapshot.has('checkpoint.jsonl')) unproven('A process announced a place although none was armed.', 'checkpoint.jsonl');
  if (left.length > 0) unproven('A role that ended by itself left processes behind.');
  const code = need(snapshot.answer).refusal?.error === 'OwnerAlive' ? refusedInput : 0;
  if (exit.signal !== null || exit.code !== code)
    unproven(`The process did not end by itself with exit ${code}, as its answer says.`);
}

function killedEnd({ exit }: Process, unproven: Unproven): void {
  if (exit.signal !== 'SIGKILL' || exit.code !== null) unproven('The process did not end by signal 9.');
}

function placeWrong(snapshot: Snapshot, record: Process, kill: Kill, unproven: Unproven): void {
  const wanted = kill.at === 'held' ? 'held' : `${kill.checkpoint}#${kill.occurrence}`;
  if (record.armed !== wanted) unproven('The armed place is not the planned one.');
  const file = 'checkpoint.jsonl';
  const announced = snapshot.has(file);
  if (kill.at === 'held') {
    if (announced) unproven('A process that was to be killed in a request announced a checkpoint.', file);
    heldWrong(snapshot, record, unproven);
    return;
  }
  const lines = announced ? need(snapshot.checkpoint) : [];
  const [line] = lines;
  if (line === undefined || lines.length !== 1) return unproven('There is not exactly one line from descriptor 3.', file);
  if (line.checkpoint !== kill.checkpoint || line.occurrence !== kill.occurrence) unproven('Another place was announced.', file);
  if (line.nonce !== record.nonce) unproven('The announced nonce is not that of the process.', file);
  if (line.pid !== record.pid) unproven('The announced pid is not that of the process.', file);
}

/** Harness and provider read one clock: what was held had been received. */
function heldWrong(snapshot: Snapshot, { timeline }: Process, unproven: Unproven): void {
  const held = timeline.find(({ what }) => what === 'held');
  const received = snapshot.receipts.value?.requests.at(-1)?.received;
  if (held === undefined || received === undefined) return;
  if (BigInt(received.monotonic_ns) > BigInt(held.monotonic_ns))
    unproven('The request was received after it was seen held.', 'receipts.jsonl');
}
