/**
 * G45: Of a family of system calls none was left out: each kill came where the run that nobody killed has that call, and armed behind the
 * last one nobody was killed.
 * Verified: that there is a call, and in a sample one of it; of each kill, that the calls up to it are, by name and file, those of the run
 * that nobody killed; of each name, that the run which was armed behind its last call made as many and ended by itself. That each point has
 * its snapshot is G3's.
 * Not verified: calls that another run of the same role makes; that a write wrote the same bytes; calls of other families and files.
 */
import type { Snapshot } from '../read/bundle.js';
import { countOf } from '../read/ratchet.js';
import type { TracedCall } from '../read/trace.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type CheckResult, type Say } from './check.js';

export const g45: CaseCheck = {
  guarantee: 'G45',
  sentence:
    'Of a family of system calls none was left out: each kill came where the run that nobody killed has that call, and armed behind the last one nobody was killed.',
  covers: 'the traced calls of every kill and of every last run against those of the run that nobody killed, by name and file',
  doesNotCover: 'calls that another run of the same role makes; the bytes of a write; calls of other families and files',
  codes: ['syscall-missed'],
  scope: 'case',
  check({ snapshots }): CheckResult {
    const armed = snapshots.filter(({ planned }) => isOfKills(planned) && planned.traced?.call !== null);
    const result = perItem(armed, whereOfSnapshot, (snapshot, say) => armedWrong(snapshot, snapshots, say));
    const arms = snapshots.filter(({ planned }) => isOfKills(planned) && planned.traced?.call === null);
    const empty = arms.find(({ name }) => !armed.some(({ planned }) => planned.kill !== null && planned.traced?.arm === name));
    if (empty === undefined) return result;
    const unknown = `The ratchet ${empty.name} killed nobody: it has no point.`;
    return { ...result, expected: result.expected + 1, unknown: result.unknown ?? unknown };
  },
};

/** Of faults G48 speaks. */
function isOfKills({ traced }: Snapshot['planned']): boolean {
  return traced?.ratchet.model === 'syscall-kill';
}

function armedWrong(snapshot: Snapshot, all: readonly Snapshot[], say: Say): void {
  const { traced, kill } = snapshot.planned;
  const whole = all.find(({ name }) => name === traced?.arm);
  if (whole === undefined || traced === null) return;
  const [calls, made] = [need(whole.trace).calls, need(snapshot.trace).calls];
  const missed = (detail: string): void => say('syscall-missed', detail, { file: snapshot.file('trace.txt') });
  const name = traced.call?.name ?? '';
  if (kill === null) {
    if (countOf(made, name) !== countOf(calls, name))
      missed(`The run that was armed behind the last ${name} made another number.`);
    return;
  }
  const different = made.findIndex((call, index) => textOf(call) !== textOf(calls[index]));
  if (different >= 0) missed(`Call ${different + 1} is not that of the run that nobody killed.`);
}

function textOf(call: TracedCall | undefined): string {
  return call === undefined ? '' : [call.name, ...call.paths].join('\n');
}
