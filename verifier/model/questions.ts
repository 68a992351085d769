/**
 * The questions in a provider's log, and the exchanges that a record keeps of them: which question was which exchange. A question that
 * no record keeps is no trouble: whoever asked may have been killed before it was told.
 */
import { fileSha256 } from '../read/hash.js';
import type { Request } from '../read/receipts.js';
import { groupBy } from './effects.js';
import { bodyOf, type Exchange } from './provider-exchange.js';

/** Each question explains one exchange. */
export class Questions {
  private readonly byPath: Map<string, Request[]>;

  constructor(questions: readonly Request[]) {
    this.byPath = groupBy(questions, ({ received }) => `${received.method} ${received.path}`);
  }

  /**
   * The question of an exchange; null where there is none, `answered` where an exchange is recorded as one that never came back and
   * the provider answered every question that it can have been.
   */
  take(exchange: Exchange, pid: number): Request | 'answered' | null {
    const asked = this.byPath.get(`${exchange.method} ${exchange.path}`) ?? [];
    const own = asked.filter(({ received: { peer_pid: peer } }) => peer === null || peer === pid);
    const isComplete = exchange.ended === 'complete';
    const index = asked.findIndex((one) => own.includes(one) && (isComplete ? isAnswer(one, exchange) : isUnanswered(one)));
    if (index < 0) return isComplete || own.length === 0 ? null : 'answered';
    return asked.splice(index, 1)[0] ?? null;
  }
}

function isUnanswered({ settled }: Request): boolean {
  return settled?.ended !== 'answered';
}

function isAnswer({ received: { headers }, settled }: Request, exchange: Exchange): boolean {
  const { status, request_sha256: request, fencing_token: token } = exchange;
  const isAsked =
    headers['request-sha256'] === request && (headers['fencing-token'] ?? null) === (token === null ? null : String(token));
  const isTold = settled?.ended === 'answered' && settled.status === status;
  return isAsked && isTold && settled.response_sha256 === fileSha256(bodyOf(exchange));
}
