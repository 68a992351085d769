/** What a session promises when a request of it leaves, and what a power loss may take of it without breaking a promise. */
import { describe, expect, it } from 'vitest';
import { readBundle, type Snapshot } from '../../read/bundle.js';
import { StateEvidence } from '../../read/state.js';
import { Memory } from '../../read/memory.js';
import { goodSessions } from '../../testing/sessions/bundle.js';
import { historyIn, logIn, lostSteps } from './derived.js';
import { sessionsModel } from './model.js';

const tree = goodSessions();
const { cases } = readBundle(tree);
const producerOf = (caseId: string): Snapshot => {
  const found = cases.find(({ id }) => id === caseId)?.snapshots[0];
  if (found === undefined) throw new Error(`The small sessions have no ${caseId}.`);
  return found;
};
const request = (path: string, key: string | null) => ({ method: 'POST', path, key });
const model = '/v1/chat/completions';

describe('a request rests on', () => {
  it('the intent of its tool call', () => {
    const arm = producerOf('grouped');
    const [call] = [...historyIn(arm).callsByKey.values()].filter(({ intents }) => intents.length > 0);
    expect(call?.intents[0]?.seq).toBeGreaterThan(0);
    expect(sessionsModel.restsOn(arm, request('/effects/charge', call?.key ?? null), 1)).toBe(call?.intents[0]?.seq);
  });

  it('what its step was made from, where the step itself is run again', () => {
    const arm = producerOf('grouped');
    const [step] = historyIn(arm).stepsById.values();
    const key = `${historyIn(arm).sessionId}/${step?.run.id}/${step?.id}/1`;
    expect(sessionsModel.restsOn(arm, request(model, key), 1)).toBe((step?.seq ?? 0) - 1);
  });

  it('the start of its attempt under intent', () => {
    const arm = producerOf('model-intent');
    const [step] = [...historyIn(arm).stepsById.values()].filter(({ attempts }) => attempts.length > 0);
    const key = `${historyIn(arm).sessionId}/${step?.run.id}/${step?.id}/1`;
    expect(step?.attempts[0]?.seq).toBeGreaterThan(step?.seq ?? 0);
    expect(sessionsModel.restsOn(arm, request(model, key), 1)).toBe(step?.attempts[0]?.seq);
  });

  it('nothing where the record has no place for it', () =>
    expect(sessionsModel.restsOn(producerOf('grouped'), request(model, 'somebody/else'), 1)).toBe(0));
});

describe('what a role tells of a log', () => {
  it('is the digest of each frame alone', () => {
    const { state } = producerOf('control');
    expect(sessionsModel.digests(state).value).toEqual(logIn(state).frames.map(({ digest }) => digest));
  });
});

/** A snapshot that carries on from the first frames of an arm. */
function carriedOn(arm: Snapshot, frames: number): Snapshot {
  const log = logIn(arm.state);
  const end = log.frames[frames]?.offset ?? log.bytes.length;
  const files = new Map([
    ['session.wal', log.bytes.subarray(0, end)],
    ['format.json', Buffer.from('{}')],
  ]);
  const trouble = { unfinished: 'never', lostPower: true } as const;
  const nobody = () => ({ problem: { code: 'absent', file: '', detail: '' } }) as const;
  const state = new StateEvidence({ files, memory: new Memory() }, '', [], nobody, trouble);
  return { lineage: [{ state, ranOn: arm }] } as unknown as Snapshot;
}

describe('a power loss', () => {
  const arm = producerOf('grouped');
  const [step] = historyIn(arm).stepsById.values();
  const key = `${historyIn(arm).sessionId}/${step?.run.id}/${step?.id}/1`;

  it('takes a step that is run again, and no step that it left', () => {
    expect(lostSteps(carriedOn(arm, (step?.seq ?? 1) - 1)).has(key)).toBe(true);
    expect(lostSteps(carriedOn(arm, step?.seq ?? 1)).has(key)).toBe(false);
  });

  it('takes none that had to be synced', () => expect([...lostSteps(carriedOn(producerOf('model-intent'), 1))]).toEqual([]));
});
