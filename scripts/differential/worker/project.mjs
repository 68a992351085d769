/**
 * A warm process that tells what a built runtime makes of one state folder after another: `node project.mjs <build> <subject>`.
 *
 * The serve role of the contract tells how much a record holds, and not what it means. So this one asks the runtime's public reader, as the
 * inspector does: a line with folders, a line with the projection of each or the code of its refusal. It runs from a build, so that a build of
 * patched sources is asked in the same way.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [build, subject] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(build, 'runtime', path)).href);
const { RuntimeError } = await load('core/errors.js');
const project = subject === 'calls' ? await callsReader() : await sessionsReader();

async function callsReader() {
  const { openReader } = await load('calls/api/reader.js');
  return (state) => {
    const scratch = mkdtempSync(join(dirname(state), 'scratch-'));
    let reader;
    try {
      reader = openReader({ directory: state, scratch });
      const events = reader.events();
      return {
        entries: events.length,
        digest: events.at(-1)?.digest ?? '0'.repeat(64),
        state: reader.workStates(),
        resume: null,
      };
    } finally {
      reader?.close();
      rmSync(scratch, { recursive: true, force: true });
    }
  };
}

async function sessionsReader() {
  const { readSessionLog } = await load('sessions/log/session-log.js');
  const { SessionHistory } = await load('sessions/core/history.js');
  const { sessionStateOf } = await load('sessions/core/session-state.js');
  const { resumeStarted } = await load('sessions/core/resume-record.js');
  const { stageOf } = await load('sessions/core/stages.js');
  return (state) => {
    const history = new SessionHistory();
    let last = { seq: 0, digest: '0'.repeat(64) };
    const { tornBytes } = readSessionLog(state, (frame) => {
      history.apply(frame);
      last = frame;
    });
    // As the public reader and whoever would own it: a log has its name in it.
    if (last.seq === 0) throw new RuntimeError('log-damaged', 'The log holds no frame.');
    const run = history.current;
    const waits = run === undefined || ['none', 'approve'].includes(stageOf(run).operation);
    const resume = waits ? null : resumeStarted(history).payload;
    return {
      entries: last.seq,
      digest: last.digest,
      state: sessionStateOf(history),
      resume,
      torn: tornBytes > 0,
    };
  };
}

function answerTo(state) {
  try {
    return { told: project(state), refused: null };
  } catch (error) {
    if (error instanceof RuntimeError) return { told: null, refused: { error: error.code, words: error.message } };
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(JSON.parse(line).map(answerTo))}\n`);
