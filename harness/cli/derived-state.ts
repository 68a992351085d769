/**
 * A state that a power loss may have left, by its number in a bundle: derived again from the trace. Nothing of the bundle is changed, and nothing that
 * it holds is trusted: a path leads to a plain file in it or nowhere.
 */
import { join } from 'node:path';
import type { DerivedState } from '../contract/types.js';
import { validateDerivedState } from '../contract/validators.js';
import { CaseVoid, HarnessError } from '../errors.js';
import { factsOfGiven } from '../io/given.js';
import type { Installation } from '../io/installation.js';
import { parseCanonical } from '../io/canonical.js';
import { filesBelow } from '../io/inventory.js';
import { linesIn } from '../io/lines.js';
import { limits, readPlainFile } from '../io/read.js';
import { parsePlan } from '../plan/load.js';
import { type PlannedCase, producer, type PowerLoss } from '../plan/types.js';
import {
  type Counts,
  distinctStatesOf,
  type NumberedState,
  type Source,
  type State,
  statesOf,
  survey,
  type Survey,
} from '../power-loss/derive.js';
import { longestItem } from '../power-loss/items.js';
import { Unmodelled } from '../power-loss/unmodelled.js';
import { findSubjects, type InstalledSubject, subjectNamed } from '../subject/find.js';

export interface Named {
  readonly bundle: string;
  readonly case: string;
  /** Where the case has one under power loss, that one need not be named. */
  readonly arm: string | undefined;
  readonly state: number;
  readonly subjects: readonly string[];
}

export interface Found {
  readonly installation: Installation;
  readonly subject: InstalledSubject;
  readonly powerLoss: PowerLoss;
  readonly source: Source;
  readonly survey: Survey;
  readonly state: NumberedState;
  /** What the bundle says of it; null where it was not in the sample. */
  readonly recorded: DerivedState | null;
}

/** A state of a subject is small; beyond this it is none. */
const largestFile = 2 ** 30;
/** Of a line that tells of a state, none is near it. */
const longestRecord = 2 ** 16;

const elsewhere = 'What else is wrong with the bundle is told by killpoint verify.';

export function findState({ bundle, case: caseId, arm: armId, state, subjects }: Named, installation: Installation): Found {
  demandBundle(bundle);
  const installed = findSubjects(installation, subjects);
  const planFile = join(bundle, 'data', 'plan.json');
  const plan = parsePlan(
    read(planFile, limits.plan),
    planFile,
    installed.map(({ description }) => description),
  );
  const subject = subjectNamed(installed, plan.subject);
  const planned = one(plan.cases, caseId, 'case', 'The plan of the bundle');
  const arm = armOf(planned, armId);
  const { crash } = arm;
  const folder = join(bundle, 'data', 'cases', planned.id);
  const begun = arm.role === 'produce' ? null : join(folder, arm.from ?? producer, 'state');
  return modelled(() => {
    const source = sourceOf(join(folder, arm.id, 'trace.txt'), begun, subject.description.volatile);
    const surveyed = survey(source, crash);
    const found = stateNumbered(state, distinctStatesOf(source, crash, surveyed));
    const recorded = recordedIn(join(folder, arm.id, 'states.jsonl'), state);
    return { installation, subject, powerLoss: crash, source, survey: surveyed, state: found, recorded };
  });
}

/** Where a state occurs, once for each cut: equal ones are one state, and more may have been promised at a later cut. */
export function* occurrencesOf({ source, powerLoss, survey: surveyed, state }: Found): Generator<State> {
  let last = -1;
  for (const one of statesOf(source, powerLoss, surveyed)) {
    if (one.sha256 !== state.sha256 || one.cut === last) continue;
    last = one.cut;
    yield one;
  }
}

export function occurrenceAt(found: Found, cut: number): State {
  const cuts: number[] = [];
  for (const one of occurrencesOf(found)) {
    if (one.cut === cut) return one;
    cuts.push(one.cut);
  }
  throw new HarnessError('usage', `State ${found.state.number} does not occur at cut ${cut}; it does at ${cuts.join(', ')}.`);
}

type ArmUnderPowerLoss = PlannedCase['arms'][number] & { readonly crash: PowerLoss };

function armOf({ id: caseId, arms }: PlannedCase, named: string | undefined): ArmUnderPowerLoss {
  const isOne = (arm: PlannedCase['arms'][number]): arm is ArmUnderPowerLoss => arm.crash?.model === 'power-loss';
  const refuse = (why: string): never => {
    throw new HarnessError('usage', why);
  };
  if (named !== undefined) {
    const arm = one(arms, named, 'arm', `The case ${caseId}`);
    return isOne(arm) ? arm : refuse(`The arm ${arm.id} of the case ${caseId} is not under power loss.`);
  }
  const [only, ...more] = arms.filter(isOne);
  if (only === undefined) return refuse(`The case ${caseId} has no arm under power loss.`);
  if (more.length === 0) return only;
  const names = [only, ...more].map(({ id }) => id).join(', ');
  return refuse(`The case ${caseId} has several arms under power loss: ${names}. Name one with --arm.`);
}

function stateNumbered(state: number, states: Generator<NumberedState, Counts>): NumberedState {
  for (let result = states.next(); ; result = states.next()) {
    if (result.done === true)
      throw new HarnessError(
        'usage',
        `There is no state ${state}: the trace gives ${result.value.distinct} of different content.`,
      );
    if (result.value.number === state) return result.value;
  }
}

function sourceOf(trace: string, begun: string | null, volatile: readonly string[]): Source {
  demandFile(trace);
  const paths = begun === null ? [] : carried(() => filesBelow(begun, volatile));
  if (paths.some((path) => path.includes('/'))) throw new Unmodelled('The state that the arm begins with has a folder below it.');
  const files = new Map(paths.map((path) => [path, read(join(begun ?? '', path), largestFile)]));
  return { begun: files, lines: () => linesIn(trace, longestItem), volatile };
}

function carried<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CaseVoid) throw new HarnessError('usage', `${error.message} ${elsewhere}`, { cause: error });
    throw error;
  }
}

function recordedIn(path: string, state: number): DerivedState | null {
  demandFile(path);
  let number = 0;
  for (const line of linesIn(path, longestRecord)) {
    number += 1;
    const value = derivedStateIn(line);
    if (value === null) throw new HarnessError('usage', `Line ${number} of ${path} is no derived state. ${elsewhere}`);
    if (value.state === state) return value;
  }
  return null;
}

function derivedStateIn(line: string): DerivedState | null {
  try {
    const value = parseCanonical(line);
    return validateDerivedState(value) ? value : null;
  } catch {
    return null;
  }
}

function one<T extends { readonly id: string }>(all: readonly T[], id: string, what: string, whose: string): T {
  const found = all.find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  throw new HarnessError(
    'usage',
    `${whose} has no ${what} "${id}" (it has: ${all.map((candidate) => candidate.id).join(', ') || 'none'}).`,
  );
}

function modelled<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unmodelled)
      throw new HarnessError('trace-unmodelled', `Nothing can be derived from this trace. ${error.message}`, { cause: error });
    throw error;
  }
}

/** By its tag file, before anything in it is asked for. */
function demandBundle(folder: string): void {
  const isThere = (path: string): boolean => factsOfGiven(path) !== undefined;
  const isBundle = isThere(folder) && isThere(join(folder, 'bagit.txt'));
  if (isBundle) return;
  const what = isThere(folder) ? `${folder} is no bundle: it has no bagit.txt` : `There is no folder ${folder}`;
  throw new HarnessError('usage', `${what}. Give the folder of a finished run, <out>/<plan>/<run-id>, as the run printed it.`);
}

function demandFile(path: string): void {
  if (factsOfGiven(path)?.isFile() !== true) throw new HarnessError('usage', `The bundle has no file ${path}. ${elsewhere}`);
}

function read(path: string, maxBytes: number): Buffer {
  try {
    return readPlainFile(path, maxBytes, { follow: false });
  } catch (error) {
    throw new HarnessError('usage', `${path} cannot be read: ${(error as Error).message}. ${elsewhere}`, { cause: error });
  }
}
