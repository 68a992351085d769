import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical } from '../../core/canonical.js';
import { closeOut, seal } from './close-out.js';
import { SessionHistory } from './history.js';
import { shapeProblem, type Draft, type Frame } from './records.js';
import { renderRequest } from './renderer.js';
import { resumeStarted } from './resume-record.js';
import type { Run } from './run.js';
import { sessionStateOf } from './session-state.js';
import { stageOf } from './stages.js';
import { conversationProblem } from './testing/conversation.js';
import { fold, TestLog } from './testing/log.js';
import { walks } from './testing/walk.js';
import { transcriptOf } from './transcript.js';
import type { FinishReason } from './vocabulary.js';

const runs = { numRuns: 25 };

function body(history: SessionHistory, run: Run, watermark?: number): Buffer {
  return renderRequest(run.config, transcriptOf(history, watermark));
}

test('informational frames change no request, no state and no stage, wherever they stand', () => {
  fc.assert(
    fc.property(walks, ({ log, ready }) => {
      const [whole, bare] = [new SessionHistory(), new SessionHistory()];
      for (const frame of log.frames) {
        whole.apply(frame);
        if (frame.kind !== 'informational') bare.apply(frame);
        const run = whole.current;
        if (frame.kind === 'informational' || frame.seq === log.lastSeq)
          expect(JSON.stringify(sessionStateOf(bare))).toBe(JSON.stringify(sessionStateOf(whole)));
        if (ready.includes(frame.seq) && run !== undefined) expect(body(bare, run).equals(body(whole, run))).toBe(true);
      }
      expect(transcriptOf(bare)).toEqual(transcriptOf(whole));
    }),
    { numRuns: 15 },
  );
});

test('wherever a step may start, the conversation is one that a strict provider takes', () => {
  let seen = 0;
  fc.assert(
    fc.property(walks, ({ log }) => {
      const history = new SessionHistory();
      for (const frame of log.frames) {
        history.apply(frame);
        const run = history.current;
        if (run === undefined || stageOf(run).stage !== 'step_due') continue;
        seen += 1;
        expect(conversationProblem(body(history, run))).toBe(null);
      }
    }),
    runs,
  );
  expect(seen).toBeGreaterThan(50);
});

test('whenever the writer was about to start a step, the stage says that one is due', () => {
  fc.assert(
    fc.property(walks, ({ log, ready }) => {
      for (const count of ready) {
        const { current } = fold(log.frames.slice(0, count));
        expect(current && stageOf(current).stage).toBe('step_due');
      }
    }),
    runs,
  );
});

test('what a step rendered can be rendered from the whole log by its watermark, to the byte', () => {
  fc.assert(
    fc.property(walks, ({ log, ready }) => {
      const whole = fold(log);
      for (const count of ready) {
        const then = fold(log.frames.slice(0, count));
        const run = then.current;
        expect(run).toBeDefined();
        if (run !== undefined) expect(body(whole, run, count).equals(body(then, run))).toBe(true);
      }
    }),
    runs,
  );
});

test('a conversation only grows: nothing that was rendered before a frame stands elsewhere after it', () => {
  fc.assert(
    fc.property(walks, ({ log, ready }) => {
      const whole = fold(log);
      for (const [at, count] of ready.entries()) {
        const [now, next] = [transcriptOf(whole, count), transcriptOf(whole, ready[at + 1] ?? log.lastSeq)];
        expect(next.slice(0, now.length)).toEqual(now);
      }
    }),
    runs,
  );
});

/** The frames of a log, and behind them these drafts. */
function appended(frames: readonly Frame[], drafts: readonly Draft[]): Frame[] {
  const log = new TestLog();
  log.frames.splice(0, log.frames.length, ...frames);
  return log.addAll(drafts).frames;
}

const reasons: readonly FinishReason[] = ['interrupted', 'cancelled', 'max_steps', 'error'];

test('a close-out that is cut anywhere is asked for again as exactly its rest, and ends at the same place', () => {
  let pieces = 0;
  fc.assert(
    fc.property(walks, fc.nat(3), ({ log }, which) => {
      const history = fold(log);
      const reason = reasons[which] ?? 'interrupted';
      if (history.current === undefined) return;
      const drafts = closeOut(history.current, reason);
      for (const draft of drafts) expect(shapeProblem(draft.type, draft.payload)).toBe(null);
      for (let cut = 0; cut <= drafts.length; cut += 1) {
        const run = fold(appended(log.frames, drafts.slice(0, cut))).current;
        expect(run && closeOut(run, reason)).toEqual(drafts.slice(cut));
        pieces += 1;
      }
      // The owner's next send is rendered behind the end, with every call paired.
      const after = new TestLog();
      after.frames.splice(0, after.frames.length, ...appended(log.frames, drafts));
      const run = fold(after).current as Run;
      after.addAll([seal(run, reason)]);
      expect(fold(after).last?.finished?.reason).toBe(reason);
      const sent = fold(after.start('next-run', 'And now?', run.config));
      expect(conversationProblem(body(sent, sent.current as Run))).toBe(null);
    }),
    { numRuns: 50 },
  );
  expect(pieces).toBeGreaterThan(20);
});

test('where the stage says how a run is closed, its own close-out and seal leave that stage as it is until the end', () => {
  fc.assert(
    fc.property(walks, ({ log }) => {
      const { current: run } = fold(log);
      const seals = run && stageOf(run).seals;
      if (run === undefined || seals === undefined || seals === null) return;
      const drafts = closeOut(run, seals);
      for (let cut = 0; cut <= drafts.length; cut += 1) {
        const again = fold(appended(log.frames, drafts.slice(0, cut))).current as Run;
        expect(stageOf(again).seals).toBe(seals);
        expect(canonical(seal(again))).toBe(canonical(seal(run)));
      }
    }),
    { numRuns: 50 },
  );
});

test('the record of a resume has its shape wherever a run is open', () => {
  fc.assert(
    fc.property(walks, ({ log }) => {
      const history = fold(log);
      if (history.current === undefined) return;
      const { type, payload } = resumeStarted(history);
      expect(shapeProblem(type, payload)).toBe(null);
      expect(payload.resumed_from_seq).toBe(log.lastSeq);
    }),
    { numRuns: 50 },
  );
});

test('F01: a log that lost one terminal of a finished batch, or has it twice, is refused wherever that is', () => {
  let tried = 0;
  const isTerminal = ({ type }: Frame): boolean => type === 'tool_result' || type === 'tool_no_dispatch';
  const refusalOf = (frames: readonly Frame[]): unknown => {
    try {
      fold(frames);
      return null;
    } catch (error) {
      return error;
    }
  };
  fc.assert(
    fc.property(walks, ({ log: { frames } }) => {
      for (const [at, frame] of frames.entries()) {
        const { type, payload } = frame;
        const end = frames.find(
          (later) => later.type === 'tool_batch_finished' && later.payload['batch_id'] === payload['batch_id'],
        );
        if (!isTerminal(frame) || end === undefined) continue;
        tried += 1;
        expect(refusalOf(frames.toSpliced(at, 1))).toMatchObject({ code: 'log-damaged', offset: end.offset });
        const twice = { ...frame, seq: frame.seq + 0.5 };
        expect(refusalOf(frames.toSpliced(at + 1, 0, twice)), type).toMatchObject({ code: 'log-damaged', offset: frame.offset });
      }
    }),
    { numRuns: 15 },
  );
  expect(tried).toBeGreaterThan(5);
});
