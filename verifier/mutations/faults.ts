/** Breaks in what is told of a role for which a system call on a durable file failed. */
import type { Answer } from '../contract/types.js';
import type { FindingCode } from '../checks/check.js';
import type { Snapshot } from '../read/bundle.js';
import type { TracedCall } from '../read/trace.js';
import type { Editor, Mutation } from './editor.js';
import { onPlace, type Place } from './places.js';
import { otherExit, takenOut } from './traces.js';

type Codes = readonly FindingCode[];
/** Of one line: as it is, or in its place. `last`: that of the last call. */
type Change = (line: string, index: number, last: number) => string | readonly string[];

const unproven = ['fault-unproven'] as const;
/** What it says that it did is not on record either. */
const claimed = ['fault-ignored', 'scenario-unplanned'] as const;
const ignored = ['fault-ignored'] as const;

function failedIn({ planned: { traced }, trace }: Snapshot): TracedCall | undefined {
  return traced === null || traced.fault === null ? undefined : trace.value?.calls.find(({ injected }) => injected !== null);
}

/** A call failed that was not the first on record, and only that one. */
const faulted: Place = (editor) =>
  editor.findAny((snapshot) => {
    const isFirst = snapshot.trace.value?.calls[0]?.injected !== null;
    return failedIn(snapshot) !== undefined && !isFirst && snapshot.planned.traced?.fault?.lasting === false;
  });

/** A write of the log failed, and only that one. */
const logWrite: Place = (editor) =>
  editor.findAny((snapshot) => {
    const { traced } = snapshot.planned;
    const isWrite = traced?.family === 'writes' && traced.fault?.lasting === false;
    return isWrite && failedIn(snapshot)?.paths.some((path) => /^(?:ledger\.sqlite-wal|session\.wal)$/.test(path)) === true;
  });

/** A producer that could not make its state, and has no answer. */
const unmade: Place = (editor) =>
  editor.findAny((snapshot) => {
    const { role, traced } = snapshot.planned;
    const isMaking = traced?.family !== 'names' && failedIn(snapshot)?.paths.some((path) => path.endsWith('.new')) === true;
    return role === 'produce' && isMaking && snapshot.state.unfinished && !snapshot.has('answer.json');
  });

/** Armed behind the last call of its name. */
const behind: Place = (editor) =>
  editor.findAny(
    ({ planned: { traced } }) => traced?.ratchet.model === 'io-fault' && traced.call !== null && traced.fault === null,
  );

/** The same of writes, the last of which has a place. */
const behindWrites: Place = (editor) =>
  editor.findAny(({ planned: { traced }, trace }) => {
    const isBehind = traced?.ratchet.model === 'io-fault' && traced.call !== null && traced.fault === null;
    return isBehind && traced.family === 'writes' && trace.value?.calls.at(-1)?.put?.at != null;
  });

function changed(find: Place, name: string, codes: Codes, change: Change): Mutation {
  return onPlace(find, name, codes, (editor, target) => rewrite(editor, target, change));
}

function rewrite(editor: Editor, target: Snapshot, change: Change): void {
  editor.text(target.file('trace.txt'), (text) => {
    const lines = text.trimEnd().split('\n');
    return `${lines.flatMap((line, index) => change(line, index, lines.length - 2)).join('\n')}\n`;
  });
}

const failing = (line: string): string => line.replace(/ = .*$/, ' = -1 EIO (Input/output error) (INJECTED)');
const done = (line: string): string => line.replace(/ = .*$/, ' = 1');
/** Over the first byte, so that the state does not tell against it. */
const again = (line: string): string =>
  line.replace(/(, \d+)?\) = .*$/, (_all, at?: string) => `${at === undefined ? '' : ', 0'}) = 1`);
const isMarked = (line: string): boolean => line.endsWith('(INJECTED)');

export const faultMutations = {
  'fault-unproven': [
    changed(faulted, 'the call that was to fail came back', unproven, (line) => (isMarked(line) ? done(line) : line)),
    changed(faulted, 'the call failed with another error', unproven, (line) =>
      isMarked(line) ? line.replace(/ = -1 \w+/, ' = -1 EROFS') : line,
    ),
    changed(faulted, 'a call before the fault failed by the tracer', unproven, (line, index) =>
      index === 0 ? failing(line) : line,
    ),
    changed(faulted, 'a call before the fault failed by the disk itself', unproven, (line, index) =>
      index === 0 ? line.replace(/ = .*$/, ' = -1 EIO (Input/output error)') : line,
    ),
    changed(faulted, 'a call before the fault was on another file', unproven, (line, index) =>
      index === 0 ? line.replace(/<state>(?:\/[^">]*)?/, '<state>/elsewhere') : line,
    ),
    changed(behind, 'a call failed by the tracer although none was to', unproven, (line, index, last) =>
      index === last ? failing(line) : line,
    ),
    onPlace(behind, 'the last run, in which none fails, made another number of calls', unproven, (editor, target) => {
      const name = target.planned.traced?.call?.name ?? '';
      rewrite(editor, target, (line) => (line.includes(` ${name}(`) ? [] : line));
    }),
    takenOut('io-fault', 'fault-unproven'),
    changed(behindWrites, 'a write is said to have put less than lies in the state', unproven, (line, index, last) =>
      index === last ? line.replace(/ = \d+$/, ' = 1') : line,
    ),
  ],
  'kill-unproven': [onPlace(behind, 'the tracer tells of another exit than was seen', ['kill-unproven'], otherExit)],
  'fault-ignored': [
    changed(logWrite, 'the log was written to after a write to it had failed', ignored, (line) =>
      isMarked(line) ? [line, again(line)] : line,
    ),
    onPlace(unmade, 'a producer that could not make its state says that it completed', claimed, (editor, target) => {
      const { traced } = target.planned;
      const whole = editor.findAny(({ caseId, name }) => caseId === target.caseId && name === traced?.arm);
      const pid = target.process.value?.pid;
      if (whole === undefined || pid === undefined) return false;
      editor.files.set(target.file('answer.json'), editor.bytes(whole.file('answer.json')));
      editor.json<Answer>(target.file('answer.json'), (value) => void (value.pid = pid));
      editor.process(target, (value) => void (value.exit = { code: 0, signal: null }));
      editor.text(target.file('trace.txt'), (text) => text.replace(/exited with \d+ \+\+\+\n$/, 'exited with 0 +++\n'));
      return true;
    }),
  ],
};
