/**
 * G25: Every figure and every outcome that the plan predicts is the one derived from the bytes.
 * Verified: each member of each expectation, one finding for each that differs. A duplicate that the plan predicts is no finding:
 * the bundle is then good evidence about a bad restart.
 * Not verified: what the plan does not predict.
 */
import { EvidenceError } from '../errors.js';
import { countEffects } from '../model/effects.js';
import type { Snapshot } from '../read/bundle.js';
import { canonical, sameJson } from '../read/canonical.js';
import type { Expectation } from '../read/plan.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import type { Derivation, SharedMember, SubjectModel } from './subject-model.js';

type Expected = Snapshot['planned']['expect'];
type Member = Exclude<keyof Expectation, 'same_events_as'>;
const apart = ['same_events_as', 'outcomes'];

export const g25: CaseCheck = {
  guarantee: 'G25',
  sentence: 'Every figure and every outcome that the plan predicts is the one derived from the bytes.',
  covers: 'every member of every expectation',
  doesNotCover: 'what the plan does not predict',
  codes: ['prediction-failed'],
  scope: 'case',
  check: ({ snapshots }, _bundle, model) =>
    perSnapshot(
      snapshots,
      ({ planned: { expect } }) => predicted(expect).length + (expect.outcomes === undefined ? 0 : 1),
      (snapshot, say) => {
        const { expect } = snapshot.planned;
        const members = predicted(expect);
        for (const member of members) {
          const found = derivationOf(member, model)(snapshot, expect);
          if (sameJson(found, expect[member])) continue;
          say('prediction-failed', `${member}: predicted ${canonical(expect[member])}, derived ${canonical(found)}.`, {
            file: 'data/plan.json',
          });
        }
        if (expect.outcomes === undefined) return members.length;
        const outcome = model.outcome(snapshot);
        if (!expect.outcomes.includes(outcome))
          say('prediction-failed', `outcome: predicted one of ${canonical(expect.outcomes)}, derived ${canonical(outcome)}.`, {
            file: 'data/plan.json',
          });
        return members.length + 1;
      },
    ),
};

/** That two snapshots end in the same events is a guarantee of its own (G32); of several outcomes one is looked for. */
function predicted(expect: Expected): Member[] {
  return (Object.keys(expect) as Member[]).filter((name) => !apart.includes(name));
}

function derivationOf(member: Member, model: SubjectModel): Derivation {
  if (isShared(member)) return (snapshot, expect) => derive[member](snapshot, expect, model);
  const own = model.derive[member];
  if (own === undefined) throw new EvidenceError('absent', `The model ${model.name} derives no ${member}.`);
  return own;
}

function isShared(member: Member): member is SharedMember {
  return Object.hasOwn(derive, member);
}

const derive: { [M in SharedMember]: (snapshot: Snapshot, expect: Expected, model: SubjectModel) => unknown } = {
  ended(snapshot) {
    if (snapshot.group !== undefined) return 'several';
    return need(snapshot.process).exit.signal === 'SIGKILL' ? 'killed' : need(snapshot.answer).status;
  },
  events: ({ state }, _expect, model) => need(model.record(state)).entries.length,
  receipts: (snapshot) => countEffects(need(snapshot.receipts)).receipts,
  effects: (snapshot) => countEffects(need(snapshot.receipts)).effects,
  keys: (snapshot) => countEffects(need(snapshot.receipts)).keys,
  bodies: (snapshot) => countEffects(need(snapshot.receipts)).bodies,
  processes: (snapshot) => countEffects(need(snapshot.receipts)).processes,
  questions: (snapshot) => countEffects(need(snapshot.receipts)).questions,
  delayed: (snapshot) => countEffects(need(snapshot.receipts)).delayed,
  members: ({ roles }) => {
    const statuses = roles.map(({ answer }) => need(answer).status);
    const count = (wanted: string): number => statuses.filter((status) => status === wanted).length;
    return { completed: count('completed'), failed: count('failed'), refused: count('refused') };
  },
  outcome: (snapshot, _expect, model) => model.outcome(snapshot),
  refusal: (snapshot) => refusal(snapshot),
  replayed: (snapshot) => need(snapshot.answer).replayed,
  egress_refused: (snapshot) => need(snapshot.answer).egress.refused.length,
};

function refusal(snapshot: Snapshot): unknown {
  const given = need(snapshot.answer).refusal;
  if (given === null) return null;
  const { call_id: _call, ...rest } = given;
  return { ...rest, drift: [...rest.drift].sort() };
}
