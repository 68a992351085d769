/**
 * What a scenario of calls asks for, held against what a role recorded: the hash of the file that it was given shows that it could
 * know, the record shows that it did. A scenario may say less than it can; what it does not say is not judged. Pure.
 *
 * A producer records what the scenario says. A restart goes by the last request and inventory on record, and by the scenario where
 * there is none; its budget and its manifest are always the scenario's. A resume carries the recorded manifest (G22); one that finds
 * none makes it as the scenario says. What a person states or gives with an operation is recorded as he gave it; a response is read again in the version
 * that was given, or else in that of the manifest.
 */
import { EvidenceError } from '../../errors.js';
import type { Event } from '../../contract/types.js';
import { decodeUtf8, parseJson, sameJson, type Json } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import type { PlannedSnapshot } from '../../read/plan.js';

type Role = 'produce' | 'resume' | 'restart' | 'inspect';
type Members = Readonly<Record<string, Json | undefined>>;

/** What the process was told that appended an event. */
export interface Told {
  readonly role: Role;
  readonly operation: PlannedSnapshot['operation'];
  readonly input: unknown;
}

interface Recorded {
  readonly events: readonly Event[];
  /** How many of them the role began with. */
  readonly inherited: number;
  bytesOf(sha256: string): Uint8Array | undefined;
  /** Asked of each event once, in order. */
  told(event: Event): Told;
}

interface Departure {
  readonly seq: number;
  readonly detail: string;
}

export function scenarioDepartures(scenario: unknown, { events, inherited, bytesOf, told }: Recorded): Departure[] {
  const before: Before = { last: new Map(), requests: new Map(), manifests: new Map(), links: new Map() };
  const produced = new Set<string>();
  return events.flatMap((event, index) => {
    const teller = told(event);
    const wrong = index < inherited ? [] : departing(scenario, teller, event, before, bytesOf);
    const isAgain = teller.role === 'produce' && teller.operation === null && isSecond(event, produced);
    remember(event, before);
    const says = (detail: string): Departure => ({ seq: event.seq, detail: `${event.type}: ${detail}` });
    return [
      ...(wrong.length > 0 ? [says(`${wrong.join(', ')} differs from what the scenario asks for.`)] : []),
      ...(isAgain ? [says('the producer recorded it a second time, and its scenario asks for it once.')] : []),
    ];
  });
}

const once = ['task.created', 'objective.recorded', 'claim.recorded', 'context.compilation_requested'];

/** Whether a producer has recorded before what a scenario asks for once: of a fan-out, once for each of its members. */
function isSecond({ type, payload }: Event, produced: Set<string>): boolean {
  if (!once.includes(type) || payload.replaces !== undefined) return false;
  const name = JSON.stringify([type, member(payload, 'fan_out', 'index') ?? null]);
  const isKnown = produced.has(name);
  produced.add(name);
  return isKnown;
}

/**
 * What a producer that says it completed left unrecorded, by the whole record: its task, its context, the end of its call and the judgement on
 * it, each as far as the scenario asks for it.
 */
export function leftUndone(scenario: unknown, events: readonly Event[]): string[] {
  const isAsked = (...path: string[]): boolean => (member(scenario, ...path) ?? null) !== null;
  const has = (...types: string[]): boolean => events.some(({ type }) => types.includes(type));
  // Who reaches for another place than the provider comes no further.
  const calls = isAsked('call') && !isAsked('dial');
  const hasSucceeded = events.some(({ type, payload }) => type === 'call.completed' && payload.outcome === 'succeeded');
  const wanted: [isAsked: boolean, ...types: string[]][] = [
    [isAsked('task', 'title'), 'task.created'],
    [isAsked('task', 'objective'), 'objective.recorded'],
    [isAsked('task', 'claim'), 'claim.recorded'],
    [isAsked('context'), 'context.compilation_requested'],
    [calls, 'call.requested'],
    [calls, 'call.completed'],
    [calls && hasSucceeded && isAsked('accept'), 'task.accepted', 'task.rejected'],
  ];
  return wanted.filter(([isDue, ...types]) => isDue && !has(...types)).map(([, ...types]) => types.join(' or '));
}

/** What the ledger held before an event. */
interface Before {
  /** By type. */
  readonly last: Map<string, Event>;
  /** By call: its request, its manifest, and the link that it came by. */
  readonly requests: Map<string, Event>;
  readonly manifests: Map<string, Event>;
  readonly links: Map<string, Event>;
}

function remember(event: Event, { last, requests, manifests, links }: Before): void {
  last.set(event.type, event);
  if (event.type === 'call.requested') requests.set(event.call_id ?? '', event);
  if (event.type === 'call.manifest') manifests.set(event.call_id ?? '', event);
  if (event.type === 'call.resumed') links.set(String(event.payload.new_call_id), event);
}

function departing(scenario: unknown, told: Told, event: Event, before: Before, bytesOf: Recorded['bytesOf']): string[] {
  const asked = askedFor(scenario, told, event, before);
  const found = foundIn(event, bytesOf);
  const named = Object.keys(asked).filter((name) => asked[name] !== undefined && !sameJson(asked[name], found[name] ?? null));
  const task = told.role === 'produce' ? member(scenario, 'task', 'task_id') : undefined;
  return task === undefined || task === event.task_id ? named : ['task_id', ...named];
}

function askedFor(scenario: unknown, told: Told, event: Event, before: Before): Members {
  const of = (...path: string[]): Json | undefined => member(scenario, ...path);
  const given = (...path: string[]): Json | undefined => member(told.input, ...path);
  const { role } = told;
  const produces = role === 'produce';
  switch (event.type) {
    case 'task.created':
      return produces ? { title: of('task', 'title') } : {};
    case 'objective.recorded':
      return produces ? { objective_id: 'objective-1', statement: of('task', 'objective') } : {};
    case 'claim.recorded':
      return produces ? membersOf(of('task', 'claim'), ['basis', 'claim_id', 'statement']) : {};
    case 'task.accepted':
    case 'task.rejected':
      if (told.operation === null) return { judgement: of('accept') };
      return { by: given('by'), judgement: given('judgement'), note: given('note') };
    case 'context.compilation_requested':
      return compilationAskedFor(scenario, told, event, before);
    case 'call.requested': {
      const { replaces: replaced } = event.payload as { replaces?: string };
      if (replaced !== undefined) {
        const old = before.requests.get(replaced);
        return {
          ...membersOf(old?.payload, ['idempotency_key', 'instruction']),
          ...present({ instruction: given('instruction') }),
        };
      }
      const last = role === 'restart' ? before.last.get(event.type) : undefined;
      if (role === 'resume') return {};
      return membersOf(last?.payload ?? of('call'), ['idempotency_key', 'instruction']);
    }
    case 'call.manifest': {
      const link = before.links.get(event.call_id ?? '');
      // What a resume carries on is held against the manifest that it carries on.
      if (link !== undefined && link.payload.verified !== null) return {};
      return {
        honours_key: of('call', 'honours_key'),
        model: of('call', 'model'),
        renderer: of('context') === undefined ? undefined : (of('context', 'renderer_version') ?? 1),
        retry_policy: of('call', 'retry'),
        system: of('call', 'system'),
        tools: of('call', 'tools'),
      };
    }
    case 'attempt.interpreted':
      if (event.payload.recovery === undefined) return {};
      // Whoever is told no version reads in the one that the manifest names.
      return {
        version:
          given('interpreter_version') ?? member(before.manifests.get(event.call_id ?? '')?.payload, 'interpreter', 'version'),
      };
    default:
      return {};
  }
}

function compilationAskedFor(scenario: unknown, { role, input }: Told, { type, payload }: Event, before: Before): Members {
  const of = (...path: string[]): Json | undefined => member(scenario, 'context', ...path);
  const budget_tokens = of('budget_tokens');
  const tokenizer = sizesAskedFor(of(), role, payload.offered);
  if (payload.replaces !== undefined)
    return { offered: itemsOf(member(input, 'items')), required_ids: member(input, 'required_ids'), tokenizer };
  const last = role === 'produce' ? undefined : before.last.get(type);
  if (last !== undefined) return { ...inventoryOf(last), budget_tokens, tokenizer };
  const several = of('fan_out');
  if (!Array.isArray(several))
    return { budget_tokens, offered: itemsOf(of('items')), required_ids: of('required_ids'), tokenizer };
  const index = member(payload, 'fan_out', 'index');
  const one = several[typeof index === 'number' ? index - 1 : 0];
  return {
    ...{ budget_tokens, members: several.length, tokenizer },
    offered: itemsOf(member(one, 'items')),
    required_ids: member(one, 'required_ids'),
  };
}

/** Who offers no count has it estimated, or counted by the tokenizer; a restart repeats the counts on record. */
function sizesAskedFor(context: Json | undefined, role: Role, offered: unknown): Json | undefined {
  if (context === undefined || (Array.isArray(offered) && offered.length === 0)) return undefined;
  return member(context, 'tokenizer') ?? (role === 'restart' ? undefined : 'estimated');
}

/** The same names, as the event has them. */
function foundIn(event: Event, bytesOf: Recorded['bytesOf']): Members {
  const payload = event.payload as Record<string, Json>;
  switch (event.type) {
    case 'task.accepted':
      return { ...payload, judgement: 'accepted' };
    case 'task.rejected':
      return { ...payload, judgement: 'rejected' };
    case 'context.compilation_requested':
      return { ...payload, ...inventoryOf(event), members: member(payload, 'fan_out', 'of'), tokenizer: tokenizerOf(event) };
    case 'attempt.interpreted':
      return { version: member(payload, 'interpreter', 'version') };
    case 'call.manifest': {
      const { request_body_sha256: hash } = payload;
      const body = bodyOf(typeof hash === 'string' ? bytesOf(hash) : undefined);
      return {
        honours_key: member(payload, 'provider', 'honours_key'),
        model: member(body, 'model'),
        renderer: member(payload, 'renderer', 'version'),
        retry_policy: payload.retry_policy,
        system: member(body, 'messages', '0', 'content'),
        tools: member(body, 'tools') ?? [],
      };
    }
    default:
      return payload;
  }
}

function itemsOf(items: Json | undefined): Json | undefined {
  if (!Array.isArray(items)) return undefined;
  return items.map((item) => {
    const content = member(item, 'content');
    return offer(item, typeof content === 'string' ? textSha256(content) : null);
  });
}

function inventoryOf({ payload }: Event): Members {
  const { offered, required_ids } = payload as Record<string, Json>;
  const list = Array.isArray(offered) ? offered : [];
  return { offered: list.map((item) => offer(item, member(item, 'content_sha256') ?? null)), required_ids };
}

/** Who counted the tokens of all items, or `estimated`; undefined where it was not the same for all of them. */
function tokenizerOf({ payload }: Event): Json | undefined {
  const { offered } = payload as Record<string, Json>;
  const names = (Array.isArray(offered) ? offered : []).map((item) =>
    member(item, 'size', 'basis') === 'estimated' ? 'estimated' : member(item, 'size', 'tokenizer', 'name'),
  );
  return names.every((name) => name === names[0]) ? names[0] : undefined;
}

/** An item without its size, which follows from its kind and content. */
function offer(item: Json, content_sha256: Json): Json {
  const of = (name: string): Json => member(item, name) ?? null;
  return { content_sha256, id: of('id'), kind: of('kind'), lineage: of('lineage'), required: of('required') };
}

function bodyOf(bytes: Uint8Array | undefined): Json {
  try {
    return bytes === undefined ? null : parseJson(decodeUtf8(bytes));
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return null;
  }
}

/** What lies at a path; undefined where it leads nowhere. */
function member(value: unknown, ...path: string[]): Json | undefined {
  let at = value;
  for (const name of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at as Json | undefined;
}

function membersOf(value: unknown, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, member(value, name)]));
}

function present(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
