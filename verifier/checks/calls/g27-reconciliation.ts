/**
 * G27: What a reconciliation says follows from its evidence, and the provider’s log holds the exchange.
 * Verified: finding, reason and adopted response of every reconciliation, read again from its evidence by the contract's table; the
 * attempts that it names; the question and its answer in the provider's log, one for each; that no effect in the log, before or after,
 * contradicts what the provider found; an operator's statement against what the plan has the operator state.
 * Not verified: whether an operator told the truth; that an exchange which is recorded as broken or late was.
 */
import { inDoubt } from '../../model/calls/decisions.js';
import { historyOf, type Call, type History, type Reconciliation } from '../../model/calls/history.js';
import { Questions } from '../../model/questions.js';
import { readEvidence, type Evidence } from '../../model/calls/reconciliation.js';
import { readingOf, type Exchange } from '../../model/provider-exchange.js';
import type { Snapshot } from '../../read/bundle.js';
import { sameJson } from '../../read/canonical.js';
import type { Ledger } from '../../read/events.js';
import { fileSha256 } from '../../read/hash.js';
import type { ReceiptLog, Request } from '../../read/receipts.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { actorsOf, type Actor } from '../actors.js';
import { inheritedCount } from './derived.js';

export const g27: CaseCheck = {
  guarantee: 'G27',
  sentence: 'What a reconciliation says follows from its evidence, and the provider’s log holds the exchange.',
  covers:
    'attempts, finding, reason and response of every reconciliation; the question in the log; every effect in the log that would contradict it; the plan’s words of an operator',
  doesNotCover: 'whether an operator told the truth; whether an exchange that is recorded as broken or late was',
  codes: ['reconciliation-unsound'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedReconciliations, (snapshot, say) => {
      const ledger = need(snapshot.ledger);
      const file = snapshot.file('state/ledger.sqlite');
      const history = historyOf(ledger.events);
      const questions = new Questions(need(snapshot.receipts).questions);
      let judged = 0;
      for (const call of history.calls.values()) {
        for (const reconciliation of call.reconciliations) {
          const bytes = ledger.artifacts.get(reconciliation.evidence_sha256)?.bytes;
          // Evidence that is not stored is named by G8.
          if (bytes === undefined) continue;
          judged += 1;
          const given = { reconciliation, call, history, ledger, snapshot, questions, evidence: readEvidence(bytes) };
          for (const wrong of reconciliationWrong(given)) say('reconciliation-unsound', wrong, { file, seq: reconciliation.seq });
        }
      }
      return judged;
    }),
};

function plannedReconciliations({ planned, base }: Snapshot): number {
  return planned.expect.reconciled?.length ?? (base === undefined ? 0 : plannedReconciliations(base));
}

interface Given {
  readonly reconciliation: Reconciliation;
  readonly evidence: Evidence | null;
  readonly call: Call;
  readonly history: History;
  readonly ledger: Ledger;
  readonly snapshot: Snapshot;
  readonly questions: Questions;
}

function reconciliationWrong(given: Given): string[] {
  const { reconciliation: told, evidence, call, history } = given;
  const problems: string[] = [];
  const open = inDoubt(history, call, told.seq);
  if (told.attempt_ids.join() !== open.join() || told.attemptId !== open.at(-1))
    problems.push('It names other attempts than those that were in doubt.');
  if (evidence === null || evidence.basis !== told.basis) return [...problems, 'The evidence is not one of its basis.'];
  if (evidence.exchange === null) return [...problems, ...statementWrong(given, evidence)];
  return [...problems, ...exchangeWrong(given, evidence.exchange)];
}

/** An operator answers for what is stated; held are its form, its author, and that these are the words that the plan gives. */
function statementWrong({ reconciliation: told, snapshot, ledger }: Given, { statement }: Evidence): string[] {
  const problems: string[] = [];
  if (told.reason !== 'stated' || told.authority !== statement?.by)
    problems.push('A statement is not in the name of its operator.');
  if (told.response !== null && told.finding !== 'served') problems.push('A response was stated of what was not served.');
  if (told.seq <= inheritedCount(snapshot)) return problems;
  const wanted = actorsOf(snapshot).flatMap((actor) => (actor.operation === 'reconcile_effect' ? [wordsOf(actor)] : []));
  const response = told.response === null ? null : [told.response.status, told.response.content_type, textIn(ledger, told)];
  const words = [statement?.by, statement?.note, told.finding, response];
  if (!wanted.some((one) => sameJson(one, words))) problems.push('The plan has no operator state this.');
  return problems;
}

function textIn({ artifacts }: Ledger, { response }: Reconciliation): string | null {
  return artifacts.get(response?.response_sha256 ?? '')?.bytes.toString('utf8') ?? null;
}

function wordsOf({ input }: Actor): unknown[] {
  const { by, note, finding, response } = (input ?? {}) as Record<string, unknown>;
  const { status, content_type: type, body } = (response ?? {}) as Record<string, unknown>;
  return [by, note, finding, response === undefined ? null : [status, type ?? null, body]];
}

function exchangeWrong(given: Given, exchange: Exchange): string[] {
  const { reconciliation: told, call } = given;
  const problems: string[] = [];
  if (told.authority !== 'provider') problems.push('What the provider said is in the name of somebody else.');
  if (!sameJson(questionIn(exchange), questionOf(given)))
    problems.push('Another question was asked than the one about this call.');
  const reading = readingOf(exchange, call.manifest?.request_body_sha256 ?? '');
  if (reading.finding !== told.finding || reading.reason !== told.reason)
    problems.push(`The evidence reads as ${reading.finding} (${reading.reason}), recorded is ${told.finding} (${told.reason}).`);
  const { response } = reading;
  const adopted =
    response === null
      ? null
      : { content_type: response.content_type, response_sha256: fileSha256(response.bytes), status: response.status };
  if (!sameJson(adopted, told.response)) problems.push('The adopted response is not the one in the evidence.');
  return [...problems, ...logWrong(given, exchange)];
}

/** Method, path, token and hash by the contract. */
function questionOf({ reconciliation: told, call }: Given): unknown[] {
  const isFence = told.basis === 'provider_fence';
  const last = call.attempts.find(({ id }) => id === told.attempt_ids.at(-1));
  const path = `/keys/${encodeURIComponent(call.key)}${isFence ? '/fence' : ''}`;
  return [isFence ? 'POST' : 'GET', path, isFence ? (last?.seq ?? null) : null, call.manifest?.request_body_sha256];
}

function questionIn({ method, path, fencing_token: token, request_sha256: request }: Exchange): unknown[] {
  return [method, path, token, request];
}

function logWrong(given: Given, exchange: Exchange): string[] {
  const { reconciliation: told, snapshot, questions } = given;
  const asked = questions.take(exchange, told.recovery.pid);
  if (asked === 'answered') return ['The provider answered what the record says never came.'];
  if (asked === null && exchange.ended === 'complete') return ['The provider’s log has no such exchange.'];
  return contradicted(given, need(snapshot.receipts), asked);
}

/** What the provider found against what it served, in the whole log: a late arrival contradicts a fence as an early one does. */
function contradicted({ reconciliation: told, call }: Given, log: ReceiptLog, asked: Request | null): string[] {
  const ours = log.requests.filter(({ received, settled }) => {
    const isOwn = settled?.effect != null && !settled.effect.replayed;
    return isOwn && received.idempotency_key === call.key;
  });
  if (told.finding === 'served') {
    const body = call.manifest?.request_body_sha256;
    const isServed = ours.some(({ received }) => received.body_sha256 === body && received.seq < (asked?.settled?.seq ?? 0));
    return isServed ? [] : ['The provider found served what had no effect in its log.'];
  }
  if (told.finding !== 'not_served') return [];
  const named = new Set(call.attempts.filter(({ id }) => told.attempt_ids.includes(id)).map(({ seq }) => seq));
  const fenced = Math.max(...named);
  const isRefuted = ours.some(({ received }) => {
    const token = tokenOf(received.headers['fencing-token']);
    // Earlier attempts of the key may have had theirs before; after the fence nobody up to its token may.
    return named.has(token) || (token <= fenced && received.seq > (asked?.settled?.seq ?? Infinity));
  });
  return isRefuted ? ['The provider fenced as not served what had an effect in its log.'] : [];
}

/** A request without a token is held back by every fence. */
function tokenOf(header: string | undefined): number {
  return header !== undefined && /^[1-9]\d*$/.test(header) ? Number(header) : 0;
}
