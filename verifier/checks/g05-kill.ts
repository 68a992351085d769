/**
 * G5: A kill counts only if the harness sent SIGKILL after the process announced the armed place (or the provider held its request)
 * with its nonce and pid, the process ended by signal 9 and by nothing else, and nobody of its group was left.
 * Verified: the armed place against the plan, the line on descriptor 3, the order of the timeline, the wait status, survivors; for
 * a process that the plan does not kill, that it ended by itself.
 * Not verified: that the harness told the truth about what it saw; processes outside group and cgroup.
 */
import type { Process } from '../contract/types.js';
import type { Snapshot } from '../read/bundle.js';
import { need, perSnapshot, type CaseCheck, type Say } from './check.js';

type Moment = Process['timeline'][number]['what'];

export const g05: CaseCheck = {
  guarantee: 'G5',
  sentence:
    'A kill counts only if the harness sent SIGKILL after the process announced the armed place (or the provider held its request) with its nonce and pid, the process ended by signal 9 and by nothing else, and nobody of its group was left.',
  covers:
    'the armed place, the line on descriptor 3, the timeline, the wait status, survivors; and that what was not to be killed ended by itself',
  doesNotCover: 'whether the harness recorded what it saw; processes that left both group and cgroup',
  codes: ['kill-unproven'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, (snapshot, say) => {
      const unproven = (detail: string, file = 'process.json'): void =>
        say('kill-unproven', detail, { file: snapshot.file(file) });
      const record = need(snapshot.process);
      if (record.survivors.length > 0) unproven('Somebody of the group was left.');
      if (record.timeline.some(({ what }) => what === 'deadline')) unproven('A deadline passed.');
      if (snapshot.planned.kill === null) return ownEnd(record, unproven);
      killedEnd(record, unproven);
      announced(snapshot, record, snapshot.planned.kill, say);
    }),
};

function ownEnd({ armed, timeline, exit }: Process, unproven: (detail: string) => void): void {
  if (armed !== null) unproven('A process was armed that the plan does not kill.');
  if (timeline.some(({ what }) => what === 'sigkill_sent')) unproven('A process was killed that the plan does not kill.');
  if (exit.signal !== null || (exit.code !== 0 && exit.code !== 64))
    unproven('The process did not end by itself in a defined way.');
}

function killedEnd({ timeline, exit, pid, pgid, confinement }: Process, unproven: (detail: string) => void): void {
  const at = (what: Moment): bigint | null => {
    const moments = timeline.filter((moment) => moment.what === what);
    return moments.length === 1 && moments[0] !== undefined ? BigInt(moments[0].monotonic_ns) : null;
  };
  const order = [at('spawned'), at('announced') ?? at('held'), at('sigkill_sent'), at('exit_seen')];
  const ordered = order.every((moment, index) => moment !== null && (index === 0 || moment >= (order[index - 1] ?? moment + 1n)));
  if (!ordered) unproven('Spawn, place, SIGKILL and exit are not all there once and in this order.');
  const empty = at('group_empty');
  if (empty === null || empty < (order[3] ?? 0n)) unproven('The group was not seen empty after the exit.');
  if (exit.signal !== 'SIGKILL' || exit.code !== null) unproven('The process did not end by signal 9.');
  if (!confinement.process_group || pgid !== pid) unproven('The process did not lead a group of its own.');
}

function announced(snapshot: Snapshot, record: Process, kill: NonNullable<Snapshot['planned']['kill']>, say: Say): void {
  const unproven = (detail: string, file: string): void => say('kill-unproven', detail, { file: snapshot.file(file) });
  const wanted = kill.at === 'held' ? 'held' : `${kill.checkpoint}#${kill.occurrence}`;
  if (record.armed !== wanted) unproven('The armed place is not the planned one.', 'process.json');
  if (kill.at === 'held') {
    if (!record.timeline.some(({ what }) => what === 'held'))
      unproven('The provider did not say that it held the request.', 'process.json');
    if (snapshot.has('checkpoint.jsonl'))
      unproven('A process that was to be killed in a request announced a checkpoint.', 'checkpoint.jsonl');
    return;
  }
  const lines = snapshot.has('checkpoint.jsonl') ? need(snapshot.checkpoint) : [];
  const [line] = lines;
  if (line === undefined || lines.length !== 1)
    return unproven('There is not exactly one line from descriptor 3.', 'checkpoint.jsonl');
  if (line.checkpoint !== kill.checkpoint || line.occurrence !== kill.occurrence)
    unproven('Another place was announced.', 'checkpoint.jsonl');
  if (line.nonce !== record.nonce) unproven('The announced nonce is not that of the process.', 'checkpoint.jsonl');
  if (line.pid !== record.pid) unproven('The announced pid is not that of the process.', 'checkpoint.jsonl');
}
