/**
 * What recoveries append in the small world, by the contract's table: one function an operation, each under the mark of the process
 * that carries it out.
 */
import { canonical } from '../read/canonical.js';
import { sha256 } from '../read/hash.js';
import { answer, key } from './scenario.js';
import type { Book, Ids } from './world.js';

export const version = '0.1.0';

export function markOf(book: Book, operation: string): { recovery: object } {
  return { recovery: { operation, pid: book.pid, version } };
}

/** The provider's answer to a question about the key: a status and a body. */
interface Told {
  readonly status: number;
  readonly body: string;
}

const response = { body: { data: answer.toString('utf8'), encoding: 'utf8' }, content_type: 'application/json', status: 200 };

export function found(book: Book): Told {
  const { request_body_sha256: request_sha256 } = book.hashes;
  return { status: 200, body: canonical({ fenced: false, found: true, request_sha256, response }) };
}

export const notFound: Told = { status: 404, body: canonical({ found: false }) };
const fenced: Told = { status: 200, body: canonical({ fenced: true, found: false, request_sha256: null, response: null }) };

interface Word {
  readonly finding: 'served' | 'not_served' | 'unknown';
  readonly reason: string;
}

export function lookUp(book: Book, attempt: Ids, told: Told, word: Word): void {
  ask(book, attempt, told, word, undefined);
}

/** The provider refuses from now on what it has not served. */
export function fence(book: Book, attempt: Ids): void {
  ask(book, attempt, fenced, { finding: 'not_served', reason: 'fenced' }, tokenOf(attempt));
}

function ask(book: Book, attempt: Ids, { status, body }: Told, word: Word, token: number | undefined): void {
  const { request_body_sha256: request } = book.hashes;
  const path = `/keys/${key}${token === undefined ? '' : '/fence'}`;
  book.provider.ask({ path, token, request, status, body });
  const exchange = {
    ...{ body: { data: body, encoding: 'utf8' }, content_type: 'application/json', ended: 'complete' },
    ...{ fencing_token: token ?? null, method: token === undefined ? 'GET' : 'POST', path, request_sha256: request, status },
  };
  const basis = token === undefined ? 'provider_lookup' : 'provider_fence';
  const evidence_sha256 = book.store(canonical({ basis, exchange, statement: null }), 'application/json');
  conclude(book, attempt, {
    ...word,
    authority: 'provider',
    basis,
    evidence_sha256,
    response: word.finding === 'served' ? adopted(book) : null,
  });
}

/** An operator has the response at hand. */
export function state(book: Book, attempt: Ids, { by, note }: { by: string; note: string }): void {
  const basis = 'operator_statement';
  const evidence_sha256 = book.store(canonical({ basis, exchange: null, statement: { by, note } }), 'application/json');
  const word = { authority: by, basis, evidence_sha256, finding: 'served', reason: 'stated', response: adopted(book) };
  conclude(book, attempt, word);
}

function adopted(book: Book): object {
  return { content_type: 'application/json', response_sha256: book.store(answer, 'application/json'), status: 200 };
}

function conclude(book: Book, attempt: Ids, word: object): void {
  const payload = { attempt_ids: [attempt.attempt_id], ...word, ...markOf(book, 'reconcile_effect') };
  book.add('effect.reconciled', payload, attempt);
}

export function accept(book: Book, { attempt_id: attempt, ...call }: Ids, { by, note }: { by: string; note: string }): void {
  const payload = { attempt_ids: [attempt], by, note, ...markOf(book, 'accept_duplicate') };
  book.add('duplicate.accepted', payload, call);
}

/** Another attempt, by the finding or the decision that stands last in the record. */
export function startAgain(book: Book, { attempt_id: _attempt, ...call }: Ids): Ids {
  return book.start(call, 2, { cites: book.next - 1, ...markOf(book, 'start_next_attempt') });
}

/** From bytes that nobody has read yet to the end of the call, as a role that recovers does it. */
export function toTheEnd(book: Book, attempt: Ids): void {
  book.interpret(attempt, markOf(book, 'reinterpret'));
  book.decide(attempt, markOf(book, 'redecide'));
  book.close(attempt, markOf(book, 'finalize'));
}

function tokenOf({ attempt_id: attempt }: Ids): number {
  return Number(attempt?.replace('attempt-', ''));
}

export const responseSha256 = sha256(answer);
