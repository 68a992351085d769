/**
 * What a power loss may leave of an arm: derived from its trace, looked at by the subject, written down. Nothing is judged.
 *
 * What is kept of a state is a line; of the first one with something of its own to carry on from, its bytes too, beside the bag. What a state holds is one
 * thing, the receipts are another: while requests leave a state may stay as it is, and whoever carries on meets other receipts.
 */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Derivation, DerivedState, ServeAnswer } from '../contract/types.js';
import { CaseVoid } from '../errors.js';
import { canonicalLine } from '../io/canonical.js';
import { filesBelow } from '../io/inventory.js';
import { linesIn } from '../io/lines.js';
import { snapshotFrom } from '../plan/power-loss.js';
import type { PlannedSnapshot, PowerLoss } from '../plan/types.js';
import { contentOf } from '../power-loss/content.js';
import { digestOf, distinctStatesOf, type NumberedState, type Source, stateAtEnd, survey } from '../power-loss/derive.js';
import { longestItem } from '../power-loss/items.js';
import { lookAtStates } from '../power-loss/look-at.js';
import { receiptLinesAt, receivedIn } from '../power-loss/receipts.js';
import { Unmodelled } from '../power-loss/unmodelled.js';
import { createWorker, type Worker } from '../power-loss/worker.js';
import { writeState } from '../power-loss/write-state.js';
import { commandOf } from '../subject/find.js';
import { namePlaces, type RunContext } from './context.js';
import { createWorkers } from './workers.js';

/** Side by side, whatever the machine: the record says so. */
const workerCount = 2;

/** The snapshots that carry on from what was found, in the order in which it occurs. Throws CaseVoid where nothing can be derived. */
export async function deriveAndLook(
  context: RunContext,
  planned: PlannedSnapshot,
  powerLoss: PowerLoss,
): Promise<PlannedSnapshot[]> {
  try {
    return await context.workers.use(workerCount, (workers) => look(context, planned, powerLoss, workers));
  } catch (error) {
    if (error instanceof Unmodelled) throw new CaseVoid('trace-unmodelled', error.message, { cause: error });
    throw error;
  }
}

async function look(
  context: RunContext,
  planned: PlannedSnapshot,
  powerLoss: PowerLoss,
  workers: readonly Worker[],
): Promise<PlannedSnapshot[]> {
  const { every, offset } = powerLoss;
  const places = namePlaces(context, planned.caseId, planned.snapshot);
  const source = sourceOf(context, planned);
  const surveyed = survey(source, powerLoss);
  demandWhole(source, powerLoss, places.state);
  const linesAt = receiptLinesOf(context, planned, surveyed.requests);
  const found = new Map<string, PlannedSnapshot>();
  const beginnings: NonNullable<Derivation['beginnings']> = [];
  /** By number, of what can be carried on from; null where it was never made. */
  const entriesOf = new Map<number, number | null>();
  const begin = ({ number, cut, files }: NumberedState): void => {
    const entries = entriesOf.get(number);
    if (entries === undefined) return;
    const next = snapshotFrom(planned, powerLoss, { entries, lines: linesAt(cut) });
    if (found.has(next.snapshot)) return;
    found.set(next.snapshot, next);
    beginnings.push({ snapshot: next.snapshot, state: number, cut, receipts: linesAt(cut) });
    writeState(files, namePlaces(context, planned.caseId, next.snapshot).begun);
  };
  const counts = { examined: 0, opened: 0, refused: 0, remade: 0 };
  const kept = openSync(join(places.folder, 'states.jsonl'), 'wx');
  try {
    const derived = await lookAtStates(
      distinctStatesOf(source, powerLoss, surveyed, linesAt),
      (state) => state % every === offset,
      workers,
      ({ state, answer }) => {
        counts.examined += 1;
        for (const what of ['opened', 'refused', 'remade'] as const) if (answer[what] !== null) counts[what] += 1;
        writeSync(kept, canonicalLine(lineOf(state, answer)));
        const isMade = state.files.has('format.json');
        if (isMade && answer.opened === null) return;
        entriesOf.set(state.number, isMade ? (answer.opened?.entries ?? 0) : null);
        begin(state);
      },
      begin,
    );
    const { items, operations, requests } = surveyed;
    const ofTrace = { items, operations, requests: requests.length, ...derived };
    const record: Derivation = { ...ofTrace, ...counts, workers: workers.length, beginnings };
    writeFileSync(join(places.folder, 'derivation.json'), canonicalLine(record), { flag: 'wx' });
  } finally {
    closeSync(kept);
  }
  return [...found.values()];
}

/** What the trace does not tell of, nobody can lose. */
function demandWhole(source: Source, powerLoss: PowerLoss, left: string): void {
  const { files } = stateAtEnd(source, powerLoss, () => true);
  const found = new Map(filesBelow(left, source.volatile).map((name) => [name, contentOf(readFileSync(join(left, name)))]));
  if (digestOf(files) !== digestOf(found)) throw new Unmodelled('The trace does not lead to the state that the role left.');
}

/** What is kept of a state. */
export function lineOf({ number, cut, choice: { rule, at }, sha256 }: NumberedState, answer: ServeAnswer): DerivedState {
  return { state: number, cut, rule, at, sha256, ...answer };
}

function sourceOf(context: RunContext, { caseId, snapshot, from }: PlannedSnapshot): Source {
  const { volatile } = context.subject.description;
  const begun = new Map<string, Buffer>();
  if (from !== null) {
    const { state } = namePlaces(context, caseId, from);
    for (const path of filesBelow(state, volatile)) {
      if (path.includes('/')) throw new Unmodelled('The state that the arm begins with has a folder below it.');
      begun.set(path, readFileSync(join(state, path)));
    }
  }
  const trace = join(namePlaces(context, caseId, snapshot).folder, 'trace.txt');
  return { begun, lines: () => linesIn(trace, longestItem), volatile };
}

function receiptLinesOf(
  context: RunContext,
  { caseId, snapshot, from }: PlannedSnapshot,
  requests: Parameters<typeof receiptLinesAt>[1],
): (cut: number) => number {
  const linesOf = (of: string): string[] =>
    readFileSync(join(namePlaces(context, caseId, of).folder, 'receipts.jsonl'), 'utf8')
      .split('\n')
      .slice(0, -1);
  const begun = from === null ? 0 : linesOf(from).length;
  const own = linesOf(snapshot).slice(begun).map(receivedIn);
  return (cut) => receiptLinesAt(cut, requests, begun, own);
}

/** Of a run: of one subject, wherever its cases need them. */
export function workersOf({
  subject,
  installation,
  stages,
  plan,
  cgroupHome,
  watchdog,
}: Omit<RunContext, 'workers'>): RunContext['workers'] {
  return createWorkers((folder) => {
    const { file, args } = commandOf(subject, 'serve', installation);
    const environment = {};
    return createWorker({
      start: () => stages.spawn({ file, args, folder: subject.folder, environment, cgroupHome, watchdog, talks: true }),
      folder,
      deadlineMs: plan.timeouts.role_ms,
    });
  });
}
