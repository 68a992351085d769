/**
 * Which process sent a request, against whose tenure it belongs to: a log names no process, but the provider heard one where the system told
 * it. What a command sends comes from a process of its own.
 */
import { callOfKey, stepOfKey } from '../../model/sessions/requests.js';
import type { Snapshot } from '../../read/bundle.js';
import { need } from '../check.js';
import { addedRequests } from '../derived.js';
import { historyIn } from './derived.js';
import type { Group } from './groups.js';
import { hasRefused } from './tenures.js';

export function sendersWrong({ snapshot, model, members, tenures, doubled }: Group): void {
  const file = snapshot.file('receipts.jsonl');
  const refused = new Set(members.filter(hasRefused).map(({ role }) => need(role.process).pid));
  const { crash } = snapshot.planned;
  const isZombie = crash?.model === 'zombie';
  const known = new Map(
    tenures.flatMap(({ fence, actor }) => (isZombie && actor ? [[fence, need(actor.role.process).pid] as const] : [])),
  );
  // What the owner of another folder sends has its place there, under the same keys.
  const elsewhere = isZombie && crash.defeat === 'folder-restored' ? members[0]?.role.process.value?.pid : undefined;
  for (const { received } of addedRequests(snapshot)) {
    const { peer_pid: pid, seq } = received;
    if (pid === null || model.isOfChild(snapshot, received)) continue;
    if (refused.has(pid)) doubled('A request came from a process that was refused.', { file, seq });
    const tenure = tenures.find(({ frames }) => frames.some((frame) => frame.seq === originOf(snapshot, received)));
    if (tenure === undefined || pid === elsewhere) continue;
    const owner = known.get(tenure.fence);
    const isOfAnother = [...known].some(([fence, own]) => own === pid && fence !== tenure.fence);
    if (owner === undefined && !isOfAnother) known.set(tenure.fence, pid);
    else if (owner !== pid) doubled('A request of one owner came from another process.', { file, seq });
  }
}

/** The seq of the record that a request follows from: its step, or the intent of its call. */
function originOf(snapshot: Snapshot, { idempotency_key: key }: { idempotency_key: string | null }): number | undefined {
  const history = historyIn(snapshot);
  return stepOfKey(history, key)?.step.seq ?? callOfKey(history, key)?.intents[0]?.seq;
}
