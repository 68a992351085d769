/** What many sessions of the small world do in the same way. */
import type { SessionBook } from './book.js';
import { done } from './shapes.js';
import { figures, run, type Ran, type SessionRefusal } from './ran.js';
import { asking, charge, saying } from './scenario.js';

export const resumes = { role: 'resume', kill: null } as const;
export const produced = { role: 'produce', kill: null } as const;
export const finished = run('finished', 'none', 'completed');
export const interrupted = run('finished', 'none', 'interrupted');

export function replayed(messages: number, model_steps: number, tool_results: number) {
  return { messages, model_steps, tool_results };
}

export function sent(book: SessionBook): SessionBook {
  book.send('run-a', 'Charge seven.');
  return book;
}

/** A step that asks for the charge, planned and intended. */
export function asked(book: SessionBook, call = charge): string {
  const step = book.step();
  book.answered(step, asking(call));
  book.plan(step, [call]);
  return step;
}

export function charged(book: SessionBook, step: string, call = charge): void {
  book.barrier(book.result(step, call, 'completed'));
  book.barrier(...book.closed(step, [call], [done]));
}

export function ends(book: SessionBook): void {
  const last = book.step();
  book.answered(last, saying('Done.'));
  book.barrier(book.turn(last, 'Done.'), book.end('completed'));
}

/** The charge, and the end. */
export function goesOn(book: SessionBook): void {
  const step = asked(book);
  book.dispatch(step, charge);
  charged(book, step);
  ends(book);
}

export function completes(book: SessionBook): Pick<Ran, 'book' | 'expect'> {
  goesOn(sent(book));
  return { book, expect: { ...figures('completed', 'completed_once', book), ...finished } };
}

/** What a plan predicts of a refusal. */
export function predicted({ on: _on, ...rest }: SessionRefusal) {
  return rest;
}
