/**
 * Lies that agree with themselves: record, receipts, plan and inspection are all made to fit, and one thing is left that does not follow
 * from them.
 */
import { changeDatabase, changeEvents, coverAll } from './edits.js';
import { actorsOf } from '../../checks/actors.js';
import { addedEvents } from '../../checks/calls/derived.js';
import { carriedOut, recoveryOf } from '../../model/calls/recovery.js';
import { readEvidence } from '../../model/calls/reconciliation.js';
import { bodyOf } from '../../model/provider-exchange.js';
import type { Snapshot } from '../../read/bundle.js';
import { canonical } from '../../read/canonical.js';
import { fileSha256, textSha256 } from '../../read/hash.js';
import type { Editor, Mutation } from '../editor.js';
import { foretellLess, isLeaf, isPlain, onPlace, type Place } from '../places.js';
import { firstAdded } from './places.js';
import { heldAgainstSpec, isCompared, notFound, onAdded, refusedRecovery } from './recovery-places.js';

/** A role that was told to recover, did several things, and finalized the call last. */
const recovered: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { operation, kill, crash } = snapshot.planned;
    const isAlone = operation === 'recover' && kill === null && crash === null;
    if (!isAlone || snapshot.ledger.value === undefined || !isLeaf(snapshot, bundle) || isCompared(snapshot, bundle))
      return false;
    const done = carriedOut(addedEvents(snapshot));
    return done.length > 1 && done.at(-1)?.operation === 'finalize';
  });

/** A first process that was killed when its request was recorded and nothing of it prepared. */
const onlyRequested: Place = (editor) =>
  editor.find((snapshot) => {
    if (snapshot.base !== undefined || snapshot.ledger.value === undefined) return false;
    const isSpecified = firstAdded(snapshot, 'call.requested')?.payload.spec_sha256 !== undefined;
    return isSpecified && firstAdded(snapshot, 'call.manifest') === undefined;
  });

/** A first process that compiled a context whose sizes were estimated. */
const estimated: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const offered = firstAdded(snapshot, 'context.compilation_requested')?.payload.offered;
    return Array.isArray(offered) && offered.length > 0 && snapshot.base === undefined && isLeaf(snapshot, bundle);
  });

/** A stopped owner that had written, and another process that then did more than one thing. */
const stoppedAfterWriting: Place = (editor) =>
  editor.find((snapshot) => {
    const { crash } = snapshot.planned;
    if (crash?.model !== 'zombie' || crash.defeat !== 'lease-deleted' || crash.stop.checkpoint !== 'commit') return false;
    const [owner, other] = actorsOf(snapshot).map(({ role }) => role.process.value?.pid);
    const pids = carriedOut(addedEvents(snapshot)).map(({ pid }) => pid);
    return pids[0] === owner && pids[1] === other && pids.filter((pid) => pid === other).length > 1;
  });

/** Refused since the body of today would not be that of the manifest. */
const refusedForBody: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { refusal } = snapshot.answer.value ?? {};
    const requested = snapshot.ledger.value?.events.find(
      ({ type, call_id: id }) => type === 'call.requested' && id === refusal?.call_id,
    );
    return isLeaf(snapshot, bundle) && refusal?.drift.join() === 'request_body' && requested?.payload.spec_sha256 !== undefined;
  });

/** A resume that was told nothing, and refused since it would have sent again what may have been served. */
const refusedUnsafe: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { refusal } = snapshot.answer.value ?? {};
    return isPlain(snapshot) && isLeaf(snapshot, bundle) && refusal?.hazard === 'unsafe' && refusal.call_id !== null;
  });

/** The plan gives the first process another scenario than it ran by, and everybody else the one that they had. */
function rescript(editor: Editor, target: Snapshot, change: (scenario: Record<string, Record<string, unknown>>) => void): void {
  editor.plan((plan) => {
    const planned = plan.cases.find(({ id }) => id === target.caseId);
    if (planned === undefined) return;
    const { scenario } = planned;
    for (const arm of planned.arms) arm.scenario ??= scenario;
    const another = structuredClone(plan.scenarios[scenario]) as unknown as Record<string, Record<string, unknown>>;
    change(another);
    Object.assign(plan.scenarios, { another });
    planned.scenario = 'another';
  });
}

/** The provider's answer to the last question, in its log and in the evidence that was kept of it. */
function retell(editor: Editor, target: Snapshot, body: string, reason: string): boolean {
  const event = addedEvents(target).findLast(({ type }) => type === 'effect.reconciled');
  const old = String(event?.payload.evidence_sha256);
  const bytes = target.ledger.value?.artifacts.get(old)?.bytes;
  const evidence = bytes === undefined ? null : readEvidence(bytes);
  if (event === undefined || evidence?.exchange == null) return false;
  const told = fileSha256(bodyOf(evidence.exchange));
  const text = canonical({ ...evidence, exchange: { ...evidence.exchange, body: { data: body, encoding: 'utf8' } } });
  editor.receipts(target, (lines) => {
    for (const line of lines)
      if (line.kind === 'settled' && line.response_sha256 === told) line.response_sha256 = textSha256(body);
  });
  changeEvents(editor, target, (events) => {
    const again = events[event.seq - 1];
    if (again !== undefined) Object.assign(again.payload, { evidence_sha256: textSha256(text), reason });
  });
  changeDatabase(editor, target, (db) => {
    db.prepare('DELETE FROM artifacts WHERE sha256 = ?').run(old);
    db.prepare("INSERT INTO artifacts VALUES (?, 'application/json', ?)").run(textSha256(text), Buffer.from(text));
  });
  coverAll(editor, target);
  foretellLess(editor, target);
  return true;
}

export const forgeries = {
  'script-departed': [
    onPlace(notFound, 'the provider spoke nonsense where its script has it find nothing', ['script-departed'], (editor, target) =>
      retell(editor, target, '{"found":"perhaps"}', 'malformed'),
    ),
  ],
  'recovery-unlawful': [
    onPlace(
      recovered,
      'a role completed and left undone what it was told to do',
      ['recovery-unlawful', 'prediction-failed'],
      (editor, target) => {
        const last = new Set(
          carriedOut(addedEvents(target))
            .at(-1)
            ?.events.map(({ seq }) => seq),
        );
        changeEvents(editor, target, (events) => events.filter(({ seq }) => !last.has(seq)));
        editor.answer(target, (value) => void value.operations?.pop());
        coverAll(editor, target);
        foretellLess(editor, target);
      },
    ),
    onPlace(refusedRecovery, 'a refusal calls safe what is not, or the reverse', ['recovery-unlawful'], (editor, target) => {
      editor.answer(target, ({ refusal }) => {
        if (refusal !== null) refusal.hazard = refusal.hazard === 'unsafe' ? 'unneeded' : 'unsafe';
      });
      foretellLess(editor, target);
    }),
    onAdded(heldAgainstSpec, 'a resume that nobody says he made', ['recovery-unlawful'], (added) => {
      for (const { payload } of added) Reflect.deleteProperty(payload, 'recovery');
    }),
  ],
  'spec-mismatch': [
    onPlace(refusedForBody, 'a refusal names a hash that had not drifted', ['spec-mismatch'], (editor, target) => {
      editor.answer(target, ({ refusal }) => void (refusal === null ? null : (refusal.drift = ['rendered_context'])));
      foretellLess(editor, target);
    }),
    onPlace(onlyRequested, 'a spec asks for another model than the scenario', ['spec-mismatch'], (editor, target) =>
      rescript(editor, target, ({ call }) => void Object.assign(call ?? {}, { model: 'another' })),
    ),
  ],
  'resume-unlawful': [
    onPlace(
      refusedUnsafe,
      'a resume was refused as unneeded while the effect is unknown',
      ['resume-unlawful'],
      (editor, target) => {
        editor.answer(target, ({ refusal }) => void (refusal === null ? null : (refusal.hazard = 'unneeded')));
        foretellLess(editor, target);
      },
    ),
  ],
  'scenario-unplanned': [
    onPlace(estimated, 'sizes were estimated that a tokenizer was to count', ['scenario-unplanned'], (editor, target) =>
      rescript(editor, target, ({ context }) => void Object.assign(context ?? {}, { tokenizer: 'o200k_base' })),
    ),
  ],
  'race-doubled': [
    onPlace(stoppedAfterWriting, 'an owner went on after it had been stopped', ['race-doubled'], (editor, target) => {
      const [owner, other] = target.roles;
      const pid = owner?.process.value?.pid;
      const taken = carriedOut(addedEvents(target)).find((one) => one.pid !== pid);
      if (other === undefined || pid === undefined || taken === undefined) return false;
      const seqs = new Set(taken.events.map(({ seq }) => seq));
      changeEvents(editor, target, (events) => {
        for (const event of events) if (seqs.has(event.seq)) Object.assign(recoveryOf(event) ?? {}, { pid });
      });
      editor.memberAnswer(other, (value) => void value.operations?.shift());
      coverAll(editor, target);
      foretellLess(editor, target);
      return true;
    }),
  ],
  'race-lost': [
    onPlace(
      stoppedAfterWriting,
      'the record lacks what the owner had recorded when it was stopped',
      ['race-lost'],
      (editor, target) => {
        const [owner] = target.roles;
        if (owner === undefined) return false;
        const occurrence = addedEvents(target).length;
        editor.plan((plan) => {
          const arm = plan.cases.find(({ id }) => id === target.caseId)?.arms.find(({ id }) => id === target.name);
          if (arm?.crash?.model === 'zombie') arm.crash.stop.occurrence = occurrence;
        });
        editor.member(owner, (value) => void (value.armed = `commit#${occurrence}`));
        editor.json<{ occurrence: number }>(owner.file('checkpoint.jsonl'), (line) => void (line.occurrence = occurrence));
        return true;
      },
    ),
  ],
} satisfies Record<string, readonly Mutation[]>;
