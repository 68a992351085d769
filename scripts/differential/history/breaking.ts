/**
 * One breach of a lawful history: something left out, doubled, moved or changed, in the drafts or in the bytes. Whether the contract forbids
 * what comes of it is not said here: a field that was changed to another legal value may leave a lawful history.
 */
import type { Forgery, Header, History, Payload, RecordDraft, Spoil } from './drafts.js';

/** Numbers, as they come from a generator; each is taken as far as it is needed. */
export interface Breach {
  readonly kind: number;
  readonly at: number;
  readonly pick: number;
}

type AnyDraft = History['drafts'][number];

const ofDrafts = ['missing', 'doubled', 'swapped', 'moved', 'field', 'field', 'field', 'members', 'unknown type'] as const;
const ofCalls = ['gap', 'digest', 'spaced', 'repeated', 'own-id', 'application', 'table', 'log-cut', 'log-cut'] as const;
const ofLog = [
  ...([
    'gap',
    'digest',
    'digest',
    'spaced',
    'cut',
    'cut',
    'flip',
    'flip',
    'zeros',
    'noise',
    'again',
    'floor',
    'no floor',
  ] as const),
  ...(['feature', 'version', 'frame kind', 'fence', 'synced', 'second lineage', 'skipped type'] as const),
];

type Kind = (typeof ofDrafts)[number] | (typeof ofCalls)[number] | (typeof ofLog)[number];

export const kindsOf = {
  calls: [...ofDrafts, ...ofCalls],
  sessions: [...ofDrafts, ...ofLog],
} as const;

export function broken(history: History, { kind, at, pick }: Breach): History {
  const kinds: readonly Kind[] = kindsOf[history.subject];
  const chosen = kinds[kind % kinds.length] as Kind;
  const index = at % history.drafts.length;
  const told = (words: string): History => ({ ...history, breaches: [...history.breaches, `${chosen}: ${words}`] });
  const draft = history.drafts[index] as AnyDraft;
  const here = `${draft.type} (${index + 1})`;
  switch (chosen) {
    case 'missing':
    case 'doubled':
    case 'swapped':
    case 'moved':
    case 'members':
    case 'unknown type':
    case 'second lineage':
    case 'skipped type':
      return withDrafts(told(here), rearranged(history, chosen, index, pick) as never);
    case 'field': {
      const { draft: changed, words } = fieldChanged(history, draft, pick);
      return withDrafts(told(`${here} ${words}`), history.drafts.with(index, changed as never) as never);
    }
    case 'gap':
    case 'digest':
    case 'spaced':
    case 'repeated':
    case 'own-id':
      return forged(told(here), { at: index, what: chosen });
    case 'application':
    case 'table':
    case 'cut':
    case 'flip':
    case 'zeros':
    case 'noise':
    case 'again':
    case 'floor':
    case 'no floor':
      return spoiled(told(`at ${pick % 1000}`), { kind: chosen, at: pick % 1000 });
    case 'log-cut':
      return spoiled({ ...told(`at ${pick % 1000}`), hasLog: true } as History, { kind: 'log-cut', at: pick % 1000 });
    case 'feature':
      return withHeader(told(here), index, { features: [['compaction/v1', 'unheard-of/v7'][pick % 2] ?? ''] });
    case 'version':
      return withHeader(told(here), index, { version: 2 });
    case 'frame kind':
      return withHeader(told(here), index, { kind: 1 + (pick % 9) });
    case 'fence':
      return withHeader(told(here), index, { fence: 1 + (pick % 4) });
    case 'synced':
      return withHeader(told(here), index, { synced: Math.max(0, index + 2 - (pick % 5)) });
  }
}

function withDrafts(history: History, drafts: never): History {
  return { ...history, drafts } as History;
}

function forged(history: History, forgery: Forgery): History {
  return { ...history, forgeries: [...history.forgeries, forgery] };
}

function spoiled(history: History, spoil: Spoil): History {
  return { ...history, spoils: [...history.spoils, spoil] };
}

function withHeader(history: History, index: number, forged: Partial<Header>): History {
  if (history.subject === 'calls') return history;
  const drafts = history.drafts as readonly RecordDraft[];
  const draft = drafts[index] as RecordDraft;
  return { ...history, drafts: drafts.with(index, { ...draft, forged: { ...draft.forged, ...forged } }) };
}

type Rearranging = 'missing' | 'doubled' | 'swapped' | 'moved' | 'members' | 'unknown type' | 'second lineage' | 'skipped type';

function rearranged({ drafts: all }: History, kind: Rearranging, index: number, pick: number): readonly AnyDraft[] {
  const drafts: readonly AnyDraft[] = all;
  const draft = drafts[index] as AnyDraft;
  switch (kind) {
    case 'missing':
      return drafts.length === 1 ? drafts : drafts.toSpliced(index, 1);
    case 'doubled':
      return drafts.toSpliced(index + 1 + (pick % (drafts.length - index)), 0, again(draft, 100_000 + index));
    case 'swapped': {
      const other = Math.min(index + 1, drafts.length - 1);
      return drafts.with(index, drafts[other] as AnyDraft).with(other, draft);
    }
    case 'moved': {
      const rest = drafts.toSpliced(index, 1);
      return rest.toSpliced(pick % (rest.length + 1), 0, draft);
    }
    case 'members': {
      const [first = ''] = Object.keys(draft.payload);
      const { [first]: _gone, ...fewer } = draft.payload;
      return drafts.with(index, { ...draft, payload: pick % 2 === 0 ? { ...draft.payload, more: 1 } : fewer });
    }
    case 'unknown type':
      return drafts.with(index, { ...draft, type: 'unheard.of' });
    case 'second lineage': {
      const own = drafts as readonly RecordDraft[];
      const payload = { identity: 'f'.repeat(32), session_id: pick % 2 === 0 ? 'session-1' : 'session-2' };
      const fence = (own[index] as RecordDraft).fence + (pick % 2);
      const barrier = (own[index] as RecordDraft).barrier;
      return own.toSpliced(index + 1, 0, { uid: 200_000 + index, type: 'lineage', payload, fence, barrier, isSynced: true });
    }
    case 'skipped type': {
      // Informational and of no type that is known: a reader passes it over.
      const own = draft as RecordDraft;
      const unheard = {
        ...own,
        uid: 300_000 + index,
        type: 'unheard_of',
        payload: { what: 'ever' },
        forged: { kind: 2, features: [] },
      };
      return drafts.toSpliced(index + 1, 0, unheard);
    }
  }
}

/** A second one of the same: what it introduces has a name of its own. */
function again(draft: AnyDraft, uid: number): AnyDraft {
  const text = JSON.stringify(draft).replaceAll(
    new RegExp(`@(call|attempt|compilation|result|step|batch|fan-out):${draft.uid}"`, 'g'),
    `@$1:${uid}"`,
  );
  return { ...(JSON.parse(text) as AnyDraft), uid };
}

/** What a member may hold beside what it holds, by its type and name or by its name. */
const otherValues: Readonly<Record<string, readonly unknown[]>> = {
  delivery: ['complete', 'not_sent', 'broken'],
  finding: ['served', 'not_served', 'unknown'],
  'attempt.retry_decided.decision': ['retry', 'stop'],
  'approval_resolved.decision': ['approved', 'denied'],
  result: ['answer', 'provider_error', 'uninterpretable'],
  'attempt.completed.outcome': ['succeeded', 'failed'],
  'call.completed.outcome': ['succeeded', 'failed'],
  'tool_result.outcome': ['completed', 'not_sent', 'unknown', 'interrupted', 'max_steps'],
  status: [200, 409, 429],
  number: [1, 2, 3],
  attempt: [1, 2, 3],
  response: [null],
  cites: ['@seq:1', '@seq:2'],
  provider: [
    { path: '/v1/chat/completions', honours_key: true },
    { path: '/v1/chat/completions', honours_key: false },
  ],
  idempotency_key: ['key-1', 'key-2'],
  'run_finished.reason': ['completed', 'interrupted', 'cancelled', 'max_steps'],
  'tool_no_dispatch.reason': ['unknown_tool', 'denied', 'unavailable'],
  'run_cancel_requested.at': ['step_boundary', 'now'],
  mode: ['sequential', 'parallel'],
  approval_seq: [null, '@seq:2', '@seq:5'],
  request_seq: ['@seq:2', '@seq:5'],
  watermark_seq: ['@seq:1', '@seq:3', 900_000],
  arguments: ['{"amount":1}', '{"amount":"much"}'],
  tool_call_id: ['call_1', 'call_2', 'call_3'],
  name: ['pay', 'ask', 'look'],
  error: [null, 'failed'],
  usage: [{ input_tokens: 7, output_tokens: 7 }],
};

function fieldChanged({ drafts }: History, draft: AnyDraft, pick: number): { draft: AnyDraft; words: string } {
  const changes: { draft: AnyDraft; words: string }[] = [];
  const columns = ['task', 'call', 'attempt', 'compilation'].filter((column) => column in draft);
  for (const column of columns) {
    for (const value of valuesIn(drafts, (other) => (other as unknown as Payload)[column]))
      if (value !== (draft as unknown as Payload)[column])
        changes.push({ draft: { ...draft, [column]: value }, words: `${column} := ${JSON.stringify(value)}` });
  }
  for (const [member, held] of Object.entries(draft.payload)) {
    const listed = otherValues[`${draft.type}.${member}`] ?? otherValues[member] ?? [];
    const elsewhere = valuesIn(drafts, (other) => (other.type === draft.type ? other.payload[member] : undefined));
    for (const value of [...listed, ...elsewhere.filter((one) => typeof one === 'string' && !(member in otherValues))])
      if (JSON.stringify(value) !== JSON.stringify(held) && isSuited(draft, member, value))
        changes.push({
          draft: { ...draft, payload: { ...draft.payload, [member]: value } },
          words: `${member} := ${JSON.stringify(value)}`,
        });
  }
  return changes[pick % Math.max(1, changes.length)] ?? { draft, words: 'nothing to change' };
}

/** Of its schema: what a type has as a string, another may have as an object. */
function isSuited({ type }: AnyDraft, member: string, value: unknown): boolean {
  if (member === 'error') return type === 'call.completed';
  if (member === 'delivery') return type === 'attempt.observed';
  if (member === 'name') return !type.startsWith('model');
  if (member === 'number') return type === 'attempt.started';
  return value !== undefined;
}

function valuesIn(drafts: readonly AnyDraft[], of: (draft: AnyDraft) => unknown): unknown[] {
  return [...new Set(drafts.map(of))].filter((value) => value !== undefined);
}
