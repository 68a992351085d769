/**
 * What a question about a key is told, by the script and by what is true of the key when it is answered: how the question ends, and
 * what its answer says, read by the same table as the evidence of a reconciliation. Written from the contract; pure.
 */
import type { ProviderScript } from '../contract/types.js';
import { fileSha256 } from '../read/hash.js';
import type { Request } from '../read/receipts.js';
import type { Truth } from './provider-keys.js';
import { nothing, refused, waiting, type Question, type Ruling } from './provider-steps.js';
import { readingOf, type Reason } from './provider-exchange.js';

type LookupStep = NonNullable<ProviderScript['lookup']>['otherwise'];
/** A question that the provider offers, with the step of a look-up; a fence takes none. */
export type Asked = { readonly question: Exclude<Question, { kind: 'refused' }>; readonly step: LookupStep | null };

const lookupStatus = { absent: 404, in_progress: 409, found: 200 } as const;
const fenceStatus = { ...lookupStatus, absent: 200 } as const;

/** How a question may end: a fence is told the truth whatever the script of look-ups says. */
export function questionEnds({ step }: Asked, { kind }: Truth): Ruling {
  if (step === null) return refused(fenceStatus[kind]);
  switch (step.do) {
    case 'tell':
    case 'without_response':
      return refused(lookupStatus[kind]);
    case 'not_found':
      return refused(404);
    case 'in_progress':
    case 'other_request':
      return refused(409);
    case 'malformed':
      return refused(200);
    case 'status':
      return refused(step.status);
    case 'hold':
      return waiting({ status: lookupStatus[kind], effect: 'none' }, nothing);
  }
}

/** Null where the answer says what it must; its bytes are known only where a record kept them. */
export function answerWrong(asked: Asked, truth: Truth, { received, settled }: Request, body: Uint8Array): string | null {
  const ours = received.headers['request-sha256'];
  if (ours === undefined || settled === undefined || settled.status === null) return null;
  const reading = readingOf(
    {
      ...{ body: { data: Buffer.from(body).toString('base64'), encoding: 'base64' }, content_type: null, ended: 'complete' },
      ...{ fencing_token: null, method: received.method, path: received.path, request_sha256: ours, status: settled.status },
    },
    ours,
  );
  const wanted = reasonOf(asked, truth, ours);
  if (wanted === null) return null;
  if (reading.reason !== wanted) return `The answer reads as ${reading.reason}; by its script it is ${wanted}.`;
  if (reading.response === null || truth.kind !== 'found') return null;
  const { status, response_sha256: hash } = truth.of.settled ?? {};
  const isSame = reading.response.status === status && fileSha256(reading.response.bytes) === hash;
  return isSame ? null : 'The answer tells of another response than the one that was sent.';
}

/** Null where the script has the answer fail with a status that a true answer has as well. */
function reasonOf({ question, step }: Asked, truth: Truth, ours: string): Reason | null {
  switch (step?.do) {
    case 'not_found':
    case 'in_progress':
    case 'other_request':
    case 'malformed':
      return step.do;
    case 'status':
      return [200, 404, 409].includes(step.status) ? null : 'provider_failed';
    case 'tell':
    case 'hold':
    case 'without_response':
    case undefined:
      return trueReason({ question, step }, truth, ours);
  }
}

function trueReason({ question, step }: Asked, truth: Truth, ours: string): Reason {
  if (truth.kind === 'absent') return question.kind === 'fence' ? 'fenced' : 'not_found';
  if (truth.of.received.body_sha256 !== ours) return 'other_request';
  if (truth.kind === 'in_progress') return 'in_progress';
  return step?.do === 'without_response' ? 'found_without_response' : 'found';
}
