/** An id names one message of a session, whichever way it was sent: a run, one that was queued, or a steer. */
import { expect, it } from 'vitest';
import type { Forged } from '../../mutations/sessions/edits.js';
import { changed, codesOf, expectFindings, onFrames } from '../../testing/sessions/match.js';

/** Changes what the good session `inbox` recorded: `steer-1` in `run-a`, after `sub-1` was queued and before it ran. */
const inbox = (change: (frames: Forged[]) => Forged[] | void) => onFrames('inbox', 'producer', change);

const steerUnder = (id: string) =>
  inbox((frames) => {
    for (const { type, payload } of frames) if (type === 'steered') payload.send_id = id;
  });

/** A copy of the first record of a type, behind the first one that `place` finds, with other members. */
const again = (type: string, place: (frame: Forged) => boolean, members: object) =>
  inbox((frames) => {
    const first = frames.find((frame) => frame.type === type);
    const at = frames.findIndex(place);
    if (first === undefined || at < 0) throw new Error(`inbox has no ${type} that could be placed`);
    const copy = { ...structuredClone(first), synced: frames[at]?.synced ?? 0 };
    Object.assign(copy.payload, members);
    return [...frames.slice(0, at + 1), copy, ...frames.slice(at + 1)];
  });

it.each([
  ['a steer has the id of its run', steerUnder('run-a')],
  ['a steer has the id of a message that waits', steerUnder('sub-1')],
  ['a steer has the id of a message that was taken back', steerUnder('sub-2')],
  [
    'a message is queued under the id of a steer',
    again('queued', ({ type }) => type === 'steered', { submission_id: 'steer-1' }),
  ],
  [
    'a steer is recorded again in a later run',
    again('steered', ({ type, payload }) => type === 'run_started' && payload.run_id === 'sub-3', { run_id: 'sub-3' }),
  ],
])('is unlawful where %s', (_what, change) => expect(codesOf(changed(change))).toContain('input-unlawful'));

it('is lawful where the steer has an id of its own, which nobody planned', () =>
  expectFindings(steerUnder('steer-2'), 'scenario-unplanned'));
