/**
 * Has every state of a sample looked at, by several workers at once, and tells what they made of each in the order of the states. One that occurs
 * again is looked at no more.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { ServeAnswer } from '../contract/types.js';
import type { Counts, NumberedState } from './derive.js';
import { statesAtOnce, type Worker } from './worker.js';

export interface Looked {
  readonly state: NumberedState;
  readonly answer: ServeAnswer;
}

/** What is not looked at must not keep the process from everything else. */
const statesATurn = 64;

export async function lookAtStates(
  states: Iterator<NumberedState, Counts>,
  isWanted: (state: number) => boolean,
  workers: readonly Pick<Worker, 'lookAt'>[],
  tell: (looked: Looked) => void,
  tellAgain: (state: NumberedState) => void = () => undefined,
): Promise<Counts> {
  let counts: Counts | null = null;
  let failed = false;
  const asked: { state: NumberedState; answer: ServeAnswer | null }[] = [];
  const tellInOrder = (): void => {
    for (let first = asked[0]; first !== undefined; first = asked[0]) {
      const { state, answer } = first;
      if (!state.isAgain && answer === null) return;
      asked.shift();
      if (answer === null) tellAgain(state);
      else tell({ state, answer });
    }
  };
  const next = async (): Promise<(typeof asked)[number] | null> => {
    for (let derived = 1; counts === null && !failed; derived++) {
      const result = states.next();
      if (result.done === true) counts = result.value;
      else if (isWanted(result.value.number)) {
        const one = { state: result.value, answer: null };
        asked.push(one);
        if (!one.state.isAgain) return one;
        tellInOrder();
      }
      if (derived % statesATurn === 0) await turn();
    }
    return null;
  };
  const work = async ({ lookAt }: Pick<Worker, 'lookAt'>): Promise<void> => {
    try {
      for (let one = await next(); one !== null; one = await next()) {
        one.answer = await lookAt(one.state.files);
        tellInOrder();
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const lanes = Array.from({ length: statesAtOnce }, () => workers).flat();
  const all = await Promise.allSettled(lanes.map(work));
  for (const result of all) if (result.status === 'rejected') throw result.reason;
  if (counts === null) throw new Error('The states have no end.');
  return counts;
}
