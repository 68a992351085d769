/** Breaks in what was sent and answered. Numbers, digests and the provider's seal are made good again, and the plan predicts what is there. */
import type { FindingCode } from '../../checks/check.js';
import { requestKind } from '../../model/sessions/requests.js';
import type { Snapshot } from '../../read/bundle.js';
import { canonical, parseJson } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import type { Editor, Line, Mutation } from '../editor.js';
import { onPlace, type Families, type Place } from '../places.js';
import { coverAll } from './edits.js';
import { acted, repeated } from './places.js';

type Lines = Parameters<Parameters<Editor['receipts']>[1]>[0];
type Received = Extract<Lines[number], { kind: 'received' }>;
type Settled = Extract<Lines[number], { kind: 'settled' }>;

function onReceipts(
  find: Place,
  name: string,
  codes: readonly FindingCode[],
  change: (lines: Lines, target: Snapshot) => Line[] | void,
): Mutation {
  return onPlace(find, name, codes, (editor, target) => {
    editor.receipts(target, (lines) => change(lines, target));
    coverAll(editor, target);
  });
}

const last = (lines: Lines, kind: 'model' | 'tool'): Received | undefined =>
  lines.findLast((line): line is Received => line.kind === 'received' && requestKind(line) === kind);

function endOf(lines: Lines, received: Received | undefined): Settled | undefined {
  return lines.find((line): line is Settled => line.kind === 'settled' && line.request === received?.request);
}

/** The last request of a kind once more, with an effect of its own. */
function again(lines: Lines, kind: 'model' | 'tool', change: (received: Received) => void = () => undefined): Line[] {
  const received = last(lines, kind);
  const [settled, latest] = [endOf(lines, received), lines.at(-1)];
  if (received === undefined || settled?.effect == null || latest === undefined) return lines;
  const count = (isCounted: (line: Lines[number]) => boolean): number => lines.filter(isCounted).length + 1;
  const request = count((line) => line.kind === 'received');
  const number = count((line) => line.kind === 'settled' && line.effect?.replayed === false);
  const copy = { ...structuredClone(received), request, monotonic_ns: latest.monotonic_ns };
  change(copy);
  const effect = { ...settled.effect, effect_id: `effect-${number}` };
  return [...lines, copy, { ...structuredClone(settled), request, monotonic_ns: latest.monotonic_ns, effect }];
}

function rekey(received: Received, key: string): void {
  received.idempotency_key = key;
  received.headers['idempotency-key'] = key;
}

function rewrite(received: Received | undefined, change: (body: Record<string, unknown>) => void): void {
  if (received === undefined) return;
  const body = parseJson(received.body.data) as Record<string, unknown>;
  change(body);
  received.body = { data: canonical(body), encoding: 'utf8' };
  received.body_sha256 = textSha256(received.body.data);
  if (received.headers['content-length'] !== undefined)
    received.headers['content-length'] = String(Buffer.byteLength(received.body.data));
}

export const requestMutations = {
  'request-unfounded': [
    onReceipts(acted, 'a model was asked for something else', ['request-unfounded'], (lines) =>
      rewrite(last(lines, 'model'), (body) => void (body.model = 'another')),
    ),
    onReceipts(acted, 'a model request has the key of no step', ['request-unfounded'], (lines) =>
      again(lines, 'model', (received) => rekey(received, 'another')),
    ),
    onReceipts(acted, 'a model was asked twice under one key', ['request-unfounded'], (lines) => again(lines, 'model')),
    onReceipts(acted, 'a model gave another answer', ['request-unfounded'], (lines) => {
      const settled = endOf(lines, last(lines, 'model'));
      if (settled !== undefined) settled.response_sha256 = '0'.repeat(64);
    }),
    onReceipts(acted, 'a model was asked at another place', ['request-unfounded'], (lines) => {
      const received = last(lines, 'model');
      if (received !== undefined) received.path += '?again=1';
    }),
    onReceipts(acted, 'a model request was not sent as JSON', ['request-unfounded'], (lines) => {
      const received = last(lines, 'model');
      if (received !== undefined) received.headers['content-type'] = 'text/plain';
    }),
  ],
  'tool-unintended': [
    onReceipts(acted, 'a tool was asked for something else', ['tool-unintended'], (lines) =>
      rewrite(last(lines, 'tool'), (body) => void (body.arguments = '{"amount":1000000}')),
    ),
    onReceipts(acted, 'an effect that no intent knows', ['tool-unintended'], (lines) =>
      again(lines, 'tool', (received) => rekey(received, `${received.idempotency_key ?? ''}-again`)),
    ),
    onReceipts(acted, 'a tool request was not sent as JSON', ['tool-unintended'], (lines) => {
      const received = last(lines, 'tool');
      if (received !== undefined) received.headers['content-type'] = 'text/plain';
    }),
  ],
  'tool-repeated': [
    onReceipts(acted, 'a key was requested twice', ['tool-repeated'], (lines) => again(lines, 'tool')),
    onReceipts(repeated, 'the naive loop asked more often than its nature explains', ['tool-repeated'], (lines) =>
      again(lines, 'tool'),
    ),
  ],
  'tool-result-mismatch': [
    onReceipts(acted, 'a provider gave a tool another answer', ['tool-result-mismatch'], (lines) => {
      const settled = endOf(lines, last(lines, 'tool'));
      if (settled !== undefined) settled.response_sha256 = '0'.repeat(64);
    }),
  ],
  'conversation-invalid': [
    // A strict provider would have refused it, so its answer departs from its script as well.
    onReceipts(
      acted,
      'a conversation ended with the assistant',
      ['conversation-invalid', 'request-unfounded', 'script-departed'],
      (lines) =>
        rewrite(last(lines, 'model'), (body) => {
          (body.messages as unknown[]).push({ content: 'I am done.', role: 'assistant' });
        }),
    ),
    onReceipts(
      acted,
      'a conversation lacks the result of a call',
      ['conversation-invalid', 'request-unfounded', 'script-departed'],
      (lines) =>
        rewrite(last(lines, 'model'), (body) => {
          body.messages = (body.messages as { role: string }[]).filter(({ role }) => role !== 'tool');
        }),
    ),
  ],
} satisfies Families;
