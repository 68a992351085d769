/**
 * G45: Of a family of system calls none was left out: each kill came where the run that nobody killed has that call, and armed behind the
 * last one nobody was killed.
 * Verified: that there is a call, and in a sample one of it; of each kill, that the calls up to it are, by name and file, those of the run
 * that nobody killed; of each name, that the run which was armed behind its last call made as many and ended by itself; of every run, that
 * its trace explains the state that it left (`model/traced-state.ts`). That each point has its snapshot is G3's.
 * Not verified: calls that another run of the same role makes; that a write wrote the same bytes; calls of other families and files; a call
 * that changed nothing in the folder, and a sync beyond the first of a file, taken out of all runs in step.
 */
import type { Snapshot } from '../read/bundle.js';
import { countOf } from '../read/ratchet.js';
import type { TracedCall } from '../read/trace.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type CheckResult } from './check.js';
import { whyStateUnexplained } from './traced-states.js';

export const g45: CaseCheck = {
  guarantee: 'G45',
  sentence:
    'Of a family of system calls none was left out: each kill came where the run that nobody killed has that call, and armed behind the last one nobody was killed.',
  covers:
    'the traced calls of every kill and of every last run against those of the run that nobody killed, by name and file; every trace against the state that its run left',
  doesNotCover:
    'calls that another run of the same role makes; the bytes of a write; calls of other families and files; what changed nothing in the folder',
  codes: ['syscall-missed'],
  scope: 'case',
  check({ snapshots }, _bundle, model): CheckResult {
    const all = snapshots.filter(({ planned }) => isOfKills(planned));
    const armed = all.filter(({ planned }) => planned.traced?.call !== null);
    const result = perItem(all, whereOfSnapshot, (snapshot, say) => {
      const whole = all.find(({ name }) => name === snapshot.planned.traced?.arm);
      if (whole === undefined) return;
      const missed = (detail: string): void => say('syscall-missed', detail, { file: snapshot.file('trace.txt') });
      const wrong = whyMissed(snapshot, whole) ?? whyStateUnexplained(snapshot, whole, model);
      if (wrong !== null) missed(wrong);
    });
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

/** Null where the calls are those of the run that nobody killed, up to the kill. */
function whyMissed({ planned: { traced, kill }, trace }: Snapshot, whole: Snapshot): string | null {
  const call = traced?.call ?? null;
  if (call === null) return null;
  const [calls, made] = [need(whole.trace).calls, need(trace).calls];
  if (kill === null)
    return countOf(made, call.name) === countOf(calls, call.name)
      ? null
      : `The run that was armed behind the last ${call.name} made another number.`;
  const different = made.findIndex((one, index) => textOf(one) !== textOf(calls[index]));
  return different < 0 ? null : `Call ${different + 1} is not that of the run that nobody killed.`;
}

function textOf(call: TracedCall | undefined): string {
  return call === undefined ? '' : [call.name, ...call.paths].join('\n');
}
