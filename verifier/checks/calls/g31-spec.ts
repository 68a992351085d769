/**
 * G31: What was asked for is recorded with the request, and manifest and body are what it says.
 * Verified: every member of every recorded spec against the request, its compilation, its manifest and its body, or where there is no
 * manifest yet against the scenario; that where specs are
 * recorded no request is without one; that a resume without a manifest was held against the old spec and asks for the same; that the
 * members which a refusal names as drifted, and no others, differ between the spec on record and the scenario of the role.
 * Not verified: drift of an interpreter, which no scenario names; of a package beyond its budget; which hashes of a manifest a refusal
 * must name (that those it names have a reason is).
 */
import type { Event, SharedDrift } from '../../contract/types.js';
import { historyOf, type Call, type History } from '../../model/calls/history.js';
import { comparable, driftFrom, misstated, readSpec, type Spec } from '../../model/calls/spec.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { Ledger } from '../../read/events.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { actorsOf } from '../actors.js';
import { inheritedCount } from './derived.js';

export const g31: CaseCheck = {
  guarantee: 'G31',
  sentence: 'What was asked for is recorded with the request, and manifest and body are what it says.',
  covers:
    'every member of every spec against request, compilation, manifest and body, or the scenario; every resume without a manifest; every member that a refusal names as drifted from a spec',
  doesNotCover: 'drift of an interpreter and of a package beyond its budget; which hashes of a manifest a refusal must name',
  codes: ['spec-mismatch'],
  scope: 'case',
  check({ snapshots }, bundle) {
    // One build records it in all of a case or nowhere.
    const isRecorded = snapshots.some(({ ledger }) => ledger.value?.events.some(hasSpec) === true);
    return perSnapshot(
      snapshots,
      () => 0,
      (snapshot, say) => {
        const ledger = need(snapshot.ledger);
        const history = historyOf(ledger.events);
        const file = snapshot.file('state/ledger.sqlite');
        const specs = new Map<string, Spec>();
        for (const call of history.calls.values()) {
          const spec = specOf(call, ledger);
          if (spec !== null) specs.set(call.id, spec);
          for (const wrong of specWrong(call, spec, isRecorded, history, ledger))
            say('spec-mismatch', wrong, { file, seq: call.seq });
        }
        unaskedFor(snapshot, bundle, history, specs, say);
        return specs.size + resumesWrong(ledger, history, say, file) + refusalsWrong(snapshot, bundle, history, specs, say);
      },
    );
  },
};

function hasSpec({ type, payload }: Event): boolean {
  return type === 'call.requested' && payload.spec_sha256 !== undefined;
}

function specOf({ specSha256 }: Call, { artifacts }: Ledger): Spec | null {
  const bytes = artifacts.get(specSha256 ?? '')?.bytes;
  return bytes === undefined ? null : readSpec(bytes);
}

function specWrong(call: Call, spec: Spec | null, isRecorded: boolean, history: History, { artifacts }: Ledger): string[] {
  if (call.specSha256 === undefined) return isRecorded ? ['What was asked for is not recorded with the request.'] : [];
  // A spec that is not stored is named by G8.
  if (!artifacts.has(call.specSha256)) return [];
  if (spec === null) return ['What was asked for has not the shape of a spec.'];
  const body = artifacts.get(call.manifest?.request_body_sha256 ?? '')?.bytes;
  const wrong = misstated(spec, call, history.compilations.get(call.compilationId), body);
  return wrong.length === 0 ? [] : [`The spec differs from the request in ${wrong.join(', ')}.`];
}

/** What no manifest says yet is what the scenario asks for; of a call that has one, the manifest and the body say it. */
function unaskedFor(
  snapshot: Snapshot,
  bundle: Bundle,
  { calls, compilations }: History,
  specs: ReadonlyMap<string, Spec>,
  say: Say,
): void {
  const { role, scenario } = snapshot.planned;
  if (role === 'resume') return;
  for (const [id, spec] of specs) {
    const call = calls.get(id);
    if (call === undefined || call.manifest !== undefined || call.seq <= inheritedCount(snapshot)) continue;
    const differing = driftFrom(spec, need(bundle.plan).scenarios[scenario], compilations.get(call.compilationId));
    if (differing.size > 0)
      say('spec-mismatch', `The spec differs from the scenario in ${[...differing].join(', ')}.`, {
        file: snapshot.state.ledgerFile,
        seq: call.seq,
      });
  }
}

/** Resumes of a call without a manifest but with a spec; returns how many there were. */
function resumesWrong({ events }: Ledger, { calls }: History, say: Say, file: string): number {
  let judged = 0;
  for (const { type, payload, seq } of events) {
    if (type !== 'call.resumed') continue;
    const [old, renewed] = [calls.get(String(payload.old_call_id)), calls.get(String(payload.new_call_id))];
    const isHeld = payload.spec_verified === true;
    const isThere = old?.specSha256 !== undefined;
    // A manifest is enough to hold a resume against; who says that he did more did it.
    if (payload.spec_verified === undefined && (payload.verified !== null || !isThere)) continue;
    judged += 1;
    if (!isHeld) say('spec-mismatch', 'The resume was not held against the spec of the old call.', { file, seq });
    else if (!isThere) say('spec-mismatch', 'The resume was held against a spec that is not there.', { file, seq });
    else if (renewed?.specSha256 !== old.specSha256) say('spec-mismatch', 'The resume asks for something else.', { file, seq });
  }
  return judged;
}

/** Refusals because a spec had drifted; returns how many there were. */
function refusalsWrong(
  snapshot: Snapshot,
  bundle: Bundle,
  { calls, compilations }: History,
  specs: ReadonlyMap<string, Spec>,
  say: Say,
): number {
  let judged = 0;
  for (const { role, killed } of actorsOf(snapshot)) {
    const refusal = killed ? null : need(role.answer).refusal;
    const call = calls.get(refusal?.call_id ?? '');
    const spec = specs.get(refusal?.call_id ?? '');
    if (refusal === null || refusal.drift.length === 0 || spec === undefined) continue;
    judged += 1;
    const scenario = need(bundle.plan).scenarios[snapshot.planned.scenario];
    if (call?.manifest !== undefined) {
      const differing = driftFrom(spec, scenario, compilations.get(call.compilationId));
      for (const name of groundless(refusal.drift, differing))
        say('spec-mismatch', `The refusal names ${name}, which the scenario does not change.`, {
          file: role.file('answer.json'),
        });
      continue;
    }
    const named = new Set(refusal.drift.filter((name) => comparable.has(name)));
    const differing = driftFrom(spec, scenario, compilations.get(call?.compilationId ?? ''));
    if ([...named].sort().join() !== [...differing].sort().join())
      say('spec-mismatch', `The refusal names ${[...named].join(', ')}; the scenario differs in ${[...differing].join(', ')}.`, {
        file: role.file('answer.json'),
      });
  }
  return judged;
}

/** What each hash of a manifest is made of beside the one before it. */
const madeOf: Partial<Record<SharedDrift, readonly SharedDrift[]>> = {
  rendered_context: ['renderer'],
  request_body: ['model', 'system', 'tools', 'rendered_context'],
};

/** What a refusal names as drifted, and every part of it is as it was. A package may differ in what no spec says, and all with it. */
function groundless(drift: readonly SharedDrift[], differing: ReadonlySet<SharedDrift>): SharedDrift[] {
  if (drift.includes('context_package')) return [];
  const isDue = (part: SharedDrift): boolean => differing.has(part) || (part in madeOf && drift.includes(part));
  return drift.filter((name) => (madeOf[name] ?? (comparable.has(name) ? [name] : null))?.some(isDue) === false);
}
