/** Breaks in what a tracer told of a role that it watched or killed before a system call. */
import type { FindingCode } from '../checks/check.js';
import type { Snapshot } from '../read/bundle.js';
import type { Editor, Mutation } from './editor.js';
import { onPlace, type Place } from './places.js';
import { otherExit, takenOut } from './traces.js';

type Codes = readonly FindingCode[];

const unproven = ['kill-unproven'] as const;

/** Killed before a call that was not the first on record. */
const killed: Place = (editor) =>
  editor.findAny(({ planned: { kill }, trace }) => kill?.at === 'call' && (trace.value?.calls.length ?? 0) > 1);

/** Armed behind the last call of its name, and killed by nobody. */
const behind: Place = (editor) =>
  editor.findAny(
    ({ planned: { kill, traced } }) => traced?.ratchet.model === 'syscall-kill' && traced.call !== null && kill === null,
  );

function linesOf(editor: Editor, target: Snapshot): string[] {
  return editor.bytes(target.file('trace.txt')).toString('utf8').trimEnd().split('\n');
}

function write(editor: Editor, target: Snapshot, lines: readonly string[]): true {
  editor.text(target.file('trace.txt'), () => `${lines.join('\n')}\n`);
  return true;
}

function changed(name: string, codes: Codes, change: (line: string, index: number, last: number) => string): Mutation {
  return onPlace(killed, name, codes, (editor, target) => {
    const lines = linesOf(editor, target);
    return write(
      editor,
      target,
      lines.map((line, index) => change(line, index, lines.length - 2)),
    );
  });
}

const returned = (line: string): string => line.replace(/ = .*$/, ' = 0');

export const syscallMutations = {
  'kill-unproven': [
    changed('the last call came back before the kill', unproven, (line, index, last) => (index === last ? returned(line) : line)),
    onPlace(killed, 'a call came after the one before which the tracer killed', unproven, (editor, target) => {
      const { traced } = target.planned;
      const whole = editor.findAny(({ caseId, name }) => caseId === target.caseId && name === traced?.arm);
      const next = whole && linesOf(editor, whole)[target.trace.value?.calls.length ?? 0];
      if (next === undefined || !next.includes('(')) return false;
      const [end = '', ...before] = linesOf(editor, target).toReversed();
      const after = next
        .replace(/^\d+/, /^\d+/.exec(end)?.[0] ?? '')
        // It did nothing, which the state would tell against.
        .replace(/ = .*$/, ' = -1 EINTR (Interrupted system call)');
      return write(editor, target, [...before.toReversed(), after, end]);
    }),
    changed('the tracer tells of another thread', unproven, (line, index) =>
      index === 0 ? line.replace(/^\d+/, (pid) => String(Number(pid) + 1)) : line,
    ),
    changed('the tracer tells that the process ended by itself', unproven, (line) =>
      line.replace('killed by SIGKILL', 'exited with 0'),
    ),
    onPlace(behind, 'the tracer tells of another exit than was seen of who was killed by nobody', unproven, otherExit),
    onPlace(killed, 'another call was armed than the planned one', unproven, (editor, target) =>
      editor.process(target, (value) => void (value.armed = 'syscall:fsync#999')),
    ),
    onPlace(killed, 'the harness sent a SIGKILL beside the tracer', unproven, (editor, target) =>
      editor.process(target, ({ timeline }) => {
        const [spawned] = timeline;
        if (spawned !== undefined)
          timeline.splice(1, 0, { what: 'sigkill_sent', monotonic_ns: String(BigInt(spawned.monotonic_ns) + 1n) });
      }),
    ),
  ],
  'syscall-missed': [
    changed('a call before the kill was on another file', ['syscall-missed'], (line, index) =>
      index === 0 ? line.replace(/<state>(?:\/[^">]*)?/, '<state>/elsewhere') : line,
    ),
    onPlace(behind, 'the last run made another number of calls', ['syscall-missed'], (editor, target) => {
      const name = target.planned.traced?.call?.name ?? '';
      return write(
        editor,
        target,
        linesOf(editor, target).filter((line) => !line.includes(` ${name}(`)),
      );
    }),
    takenOut('syscall-kill', 'syscall-missed'),
  ],
} as const;
