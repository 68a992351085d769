/**
 * Where to break a record of recoveries, and how: events that a snapshot added are changed, and everything else made to agree. Where a
 * break would show in a prediction too, the plan is made to predict no more than the figures.
 */
import { changeEvents, coverAll, type Events } from './edits.js';
import type { Event } from '../../contract/types.js';
import type { FindingCode } from '../../checks/check.js';
import { inheritedCount } from '../../checks/calls/derived.js';
import { recoveryOf } from '../../model/calls/recovery.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { Mutation } from '../editor.js';
import { foretellLess, isLeaf, onPlace, type Place } from '../places.js';
import { firstAdded } from './places.js';

type Wanted = (added: readonly Event[], snapshot: Snapshot, bundle: Bundle) => boolean;

/** A leaf with one role that was not killed, by the events that it added. */
const leafThat =
  (wanted: Wanted): Place =>
  (editor) =>
    editor.find((snapshot, bundle) => {
      const { planned, ledger } = snapshot;
      if (planned.kill !== null || planned.crash !== null || !isLeaf(snapshot, bundle) || ledger.value === undefined)
        return false;
      return wanted(ledger.value.events.slice(inheritedCount(snapshot)), snapshot, bundle);
    });

const adds = (type: string, holds: (payload: Event['payload'], snapshot: Snapshot) => boolean = () => true): Place =>
  leafThat((added, snapshot, bundle) => {
    const isThere = added.some((event) => event.type === type && holds(event.payload, snapshot));
    return isThere && !isCompared(snapshot, bundle);
  });

/** The plan has it end as another one, or another one as it. */
export function isCompared({ caseId, name, planned: { expect } }: Snapshot, { cases }: Bundle): boolean {
  const siblings = cases.find(({ id }) => id === caseId)?.snapshots ?? [];
  return expect.same_events_as !== undefined || siblings.some(({ planned }) => planned.expect.same_events_as === name);
}

export const askedOfProvider = adds('effect.reconciled', ({ authority }) => authority === 'provider');
export const notFound = adds('effect.reconciled', ({ reason }) => reason === 'not_found');
export const stated = adds('effect.reconciled', ({ basis }) => basis === 'operator_statement');
export const spent = adds('attempt.started', ({ cites }, { ledger }) => {
  const cited = ledger.value?.events[Number(cites) - 1];
  return cited?.type === 'duplicate.accepted';
});
/** A fence that found nothing, and the request that it held back when it arrived. */
export const heldBack: Place = leafThat(
  (added, { receipts }) =>
    added.some(({ payload }) => payload.reason === 'fenced') &&
    receipts.value?.requests.some(({ settled }) => settled?.status === 412) === true,
);
/** Whatever goes on from it. */
export const acceptance: Place = (editor) =>
  editor.find((snapshot) => {
    const { planned, ledger } = snapshot;
    if (planned.operation !== 'accept_duplicate' || planned.kill !== null || ledger.value === undefined) return false;
    return firstAdded(snapshot, 'duplicate.accepted') !== undefined;
  });
export const finalized: Place = leafThat((added) => isFinalizing(added.at(-1)));
export const refusedRecovery: Place = leafThat((_added, { planned, answer }) => {
  return (
    planned.operation !== null && answer.value?.refusal?.error === 'RecoveryRefused' && answer.value.refusal.operation !== null
  );
});
/** The new call has a spec of its own, and so had the old one, which it was held against. */
export const heldAgainstSpec: Place = adds('call.resumed', ({ spec_verified: isVerified }) => isVerified === true);
export const specified: Place = adds('call.requested', ({ spec_sha256: hash }) => hash !== undefined);
export const driftRefused: Place = leafThat((_added, { answer, ledger }) => {
  const { refusal } = answer.value ?? {};
  const of = (type: string): Event | undefined =>
    ledger.value?.events.find((event) => event.type === type && event.call_id === refusal?.call_id);
  return (
    refusal != null &&
    refusal.drift.length > 0 &&
    of('call.requested')?.payload.spec_sha256 !== undefined &&
    of('call.manifest') === undefined
  );
});
/** The end of a recovery that was killed before it had finalized the call. */
export const endedAgain: Place = leafThat((added, { planned: { expect } }) => {
  const isOpen = expect.same_events_as !== undefined && expect.events === undefined;
  return isOpen && expect.outcome === 'completed_once' && isFinalizing(added.at(-1));
});

function isFinalizing(event: Event | undefined): boolean {
  return event?.type === 'call.completed' && recoveryOf(event)?.operation === 'finalize';
}

/** Changes events that the snapshot added, and makes everything else agree with them. */
export function onAdded(
  find: Place,
  name: string,
  codes: readonly FindingCode[],
  change: (added: Events, target: Snapshot) => Events | void,
): Mutation {
  return onPlace(find, name, codes, (editor, target) => {
    const inherited = inheritedCount(target);
    changeEvents(editor, target, (events) => {
      const added = events.slice(inherited);
      return [...events.slice(0, inherited), ...(change(added, target) ?? added)];
    });
    coverAll(editor, target);
    foretellLess(editor, target);
  });
}

export function onOne(
  find: Place,
  name: string,
  codes: readonly FindingCode[],
  type: string,
  change: (payload: Record<string, unknown>) => void,
) {
  return onAdded(find, name, codes, (added) => {
    const event = added.find((one) => one.type === type);
    if (event !== undefined) change(event.payload);
  });
}
