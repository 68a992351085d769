/** Breaks in what recoveries recorded of themselves: marks, specs, and the ends of those that were killed and done again. */
import { coverAll } from './edits.js';
import { addedEvents } from '../../checks/calls/derived.js';
import { recoveryOf } from '../../model/calls/recovery.js';
import type { Snapshot } from '../../read/bundle.js';
import { canonical, decodeUtf8, parseCanonical } from '../../read/canonical.js';
import { storeSpecs } from './cover.js';
import type { Editor, Mutation } from '../editor.js';
import { foretellLess, onPlace } from '../places.js';
import { firstAdded } from './places.js';
import {
  driftRefused,
  endedAgain,
  finalized,
  heldAgainstSpec,
  onAdded,
  onOne,
  refusedRecovery,
  specified,
} from './recovery-places.js';

/** Changes the mark of the last event that bears one. */
function onMark(name: string, change: (recovery: Record<string, unknown>) => void): Mutation {
  return onAdded(finalized, name, ['recovery-unlawful'], (added) => {
    const event = added.findLast((one) => recoveryOf(one) !== undefined);
    if (event !== undefined) change(event.payload.recovery as Record<string, unknown>);
  });
}

export const recoveryMutations = {
  'recovery-unlawful': [
    onMark('an event names a process that did not act', (recovery) => void (recovery.pid = Number(recovery.pid) + 1)),
    onMark('an event names another version than ran', (recovery) => void (recovery.version = '0.0.0')),
    onMark('an event names an operation that appends no such event', (recovery) => void (recovery.operation = 'redecide')),
    onAdded(finalized, 'an event does not say that a recovery appended it', ['recovery-unlawful'], (added) => {
      const event = added.at(-1);
      if (event !== undefined) Reflect.deleteProperty(event.payload, 'recovery');
    }),
    onPlace(finalized, 'a role tells of an operation that the record does not show', ['recovery-unlawful'], (editor, target) => {
      editor.answer(target, (value) => void (value.operations ??= []).push('redecide'));
      foretellLess(editor, target);
    }),
    onPlace(refusedRecovery, 'a refusal names another operation than the record', ['recovery-unlawful'], (editor, target) => {
      editor.answer(target, ({ refusal }) => {
        if (refusal !== null) refusal.operation = refusal.operation === 'finalize' ? 'redecide' : 'finalize';
      });
      foretellLess(editor, target);
    }),
  ],
  'spec-mismatch': [
    onPlace(specified, 'a spec asks for another model than the request', ['spec-mismatch'], (editor, target) =>
      respecify(editor, target, (spec) => void (spec.model = 'another')),
    ),
    onPlace(specified, 'a spec is of another compilation', ['spec-mismatch'], (editor, target) =>
      respecify(editor, target, (spec) => void (spec.compilation_id = 'compilation-999')),
    ),
    onOne(heldAgainstSpec, 'a resume was not held against the spec', ['spec-mismatch'], 'call.resumed', (payload) => {
      Reflect.deleteProperty(payload, 'spec_verified');
    }),
    onOne(heldAgainstSpec, 'a request without what was asked for', ['spec-mismatch'], 'call.requested', (payload) => {
      Reflect.deleteProperty(payload, 'spec_sha256');
    }),
    onPlace(driftRefused, 'a refusal names a member that did not drift', ['spec-mismatch'], (editor, target) => {
      editor.answer(target, ({ refusal }) => void (refusal === null ? null : (refusal.drift = swapped(refusal.drift))));
      foretellLess(editor, target);
    }),
  ],
  'recovery-diverged': [
    onAdded(
      endedAgain,
      'a recovery that was done again did not finish',
      ['recovery-diverged', 'recovery-unlawful', 'prediction-failed'],
      (added) => added.slice(0, -1),
    ),
    onAdded(endedAgain, 'a recovery that was done again says more', ['recovery-diverged', 'recovery-unlawful'], (added) => {
      const last = added.at(-1);
      if (last === undefined) return added;
      const payload = { claim_id: 'claim-appended', statement: 'Somebody wrote here.', basis: 'nobody knows' };
      const ids = { call_id: null, attempt_id: null, compilation_id: null };
      return [...added, { ...last, ...ids, seq: last.seq + 1, type: 'claim.recorded', payload }];
    }),
  ],
} satisfies Record<string, readonly Mutation[]>;

/** Stores another spec for the calls that the snapshot requested under it. */
function respecify(editor: Editor, target: Snapshot, change: (spec: Record<string, unknown>) => void): boolean {
  const hash = String(firstAdded(target, 'call.requested')?.payload.spec_sha256);
  const bytes = target.ledger.value?.artifacts.get(hash)?.bytes;
  if (bytes === undefined) return false;
  const spec = parseCanonical(decodeUtf8(bytes)) as Record<string, unknown>;
  change(spec);
  const calls = addedEvents(target).filter(({ type, payload }) => type === 'call.requested' && payload.spec_sha256 === hash);
  storeSpecs(editor, target, new Map(calls.map(({ call_id: id }) => [id ?? '', canonical(spec)])));
  coverAll(editor, target);
  return true;
}

function swapped(drift: readonly string[]): ['system' | 'tools'] {
  return drift.join() === 'system' ? ['tools'] : ['system'];
}
