/**
 * What else must agree where events were changed: the spec that a call was recorded with, and the fencing tokens of what was sent. Nothing
 * is touched that agrees already, so that a record of before stays without either.
 */
import { changeDatabase, changeEvents } from './edits.js';
import { historyOf } from '../../model/calls/history.js';
import { tokenOf } from '../../model/provider-steps.js';
import { readSpec } from '../../model/calls/spec.js';
import type { Snapshot } from '../../read/bundle.js';
import { canonical } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import type { Editor } from '../editor.js';

/** Makes the spec of each call promise what its manifest does. */
export function coverSpecs(editor: Editor, target: Snapshot): void {
  const ledger = editor.again(target).ledger.value;
  if (ledger === undefined) return;
  const specs = new Map<string, string>();
  for (const { id, manifest, specSha256: hash = '' } of historyOf(ledger.events).calls.values()) {
    const bytes = ledger.artifacts.get(hash)?.bytes;
    const spec = bytes === undefined ? null : readSpec(bytes);
    if (spec === null || manifest === undefined) continue;
    const { interpreter, provider, renderer, retry_policy } = manifest;
    const text = canonical({ ...spec, interpreter, provider, renderer, retry_policy });
    if (textSha256(text) !== hash) specs.set(id, text);
  }
  if (specs.size > 0) storeSpecs(editor, target, specs);
}

/** By call: the text of its spec. One that no call names any more is taken away. */
export function storeSpecs(editor: Editor, target: Snapshot, specs: ReadonlyMap<string, string>): void {
  const named = (): unknown[] => (editor.again(target).ledger.value?.events ?? []).map(({ payload }) => payload.spec_sha256);
  const before = named();
  changeEvents(editor, editor.again(target), (events) => {
    for (const { type, call_id: id, payload } of events) {
      const text = type === 'call.requested' ? specs.get(id ?? '') : undefined;
      if (text !== undefined) payload.spec_sha256 = textSha256(text);
    }
  });
  const after = new Set(named());
  changeDatabase(editor, target, (db) => {
    const insert = db.prepare("INSERT OR IGNORE INTO artifacts VALUES (?, 'application/json', ?)");
    for (const text of specs.values()) insert.run(textSha256(text), Buffer.from(text));
    for (const hash of before)
      if (hash !== undefined && !after.has(hash)) db.prepare('DELETE FROM artifacts WHERE sha256 = ?').run(hash);
  });
}

/** Takes the token from each request whose attempt is not there any more. */
export function coverTokens(editor: Editor, target: Snapshot): void {
  const { ledger, receipts } = editor.again(target);
  const attempts = new Set(ledger.value?.events.filter(({ type }) => type === 'attempt.started').map(({ seq }) => seq));
  const isStray = ({ headers }: { headers: Record<string, string> }): boolean => {
    const token = tokenOf({ headers });
    return token !== null && !attempts.has(token);
  };
  if (receipts.value?.requests.some(({ received }) => isStray(received)) !== true) return;
  editor.receipts(target, (lines) => {
    for (const line of lines)
      if (line.kind === 'received' && line.idempotency_key !== null && isStray(line)) delete line.headers['fencing-token'];
  });
}
