/**
 * What a scenario of calls asks for, held against what a role recorded: the hash of the file that it was given shows that it could
 * know, the record shows that it did. A scenario may say less than it can; what it does not say is not judged. Pure.
 *
 * A producer records what the scenario says. A restart goes by the last request and inventory on record, and by the scenario where
 * there is none; its budget and its manifest are always the scenario's. A resume carries the recorded manifest (G22); one that finds
 * none makes it as the scenario says.
 */
import { EvidenceError } from '../errors.js';
import type { Event } from '../contract/types.js';
import { decodeUtf8, parseJson, sameJson, type Json } from '../read/canonical.js';
import { textSha256 } from '../read/hash.js';

type Role = 'produce' | 'resume' | 'restart' | 'inspect';
type Members = Readonly<Record<string, Json | undefined>>;

interface Recorded {
  readonly events: readonly Event[];
  /** How many of them the role began with. */
  readonly inherited: number;
  bytesOf(sha256: string): Uint8Array | undefined;
}

interface Departure {
  readonly seq: number;
  readonly detail: string;
}

export function scenarioDepartures(scenario: unknown, role: Role, recorded: Recorded): Departure[] {
  return recorded.events.slice(recorded.inherited).flatMap((event) => {
    const wrong = departing(scenario, role, event, recorded);
    return wrong.length === 0
      ? []
      : [{ seq: event.seq, detail: `${event.type}: ${wrong.join(', ')} differs from what the scenario asks for.` }];
  });
}

function departing(scenario: unknown, role: Role, event: Event, { events, bytesOf }: Recorded): string[] {
  const before = (type: string): Event | undefined => events.slice(0, event.seq - 1).findLast((one) => one.type === type);
  const asked = askedFor(scenario, role, event, before);
  const found = foundIn(event, bytesOf);
  const named = Object.keys(asked).filter((name) => asked[name] !== undefined && !sameJson(asked[name], found[name] ?? null));
  const task = role === 'produce' ? member(scenario, 'task', 'task_id') : undefined;
  return task === undefined || task === event.task_id ? named : ['task_id', ...named];
}

function askedFor(scenario: unknown, role: Role, event: Event, before: (type: string) => Event | undefined): Members {
  const of = (...path: string[]): Json | undefined => member(scenario, ...path);
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
      return { judgement: of('accept') };
    case 'context.compilation_requested': {
      const last = produces ? undefined : before(event.type);
      const budget_tokens = of('context', 'budget_tokens');
      if (last !== undefined) return { ...inventoryOf(last), budget_tokens };
      return { budget_tokens, offered: itemsOf(of('context', 'items')), required_ids: of('context', 'required_ids') };
    }
    case 'call.requested': {
      const last = role === 'restart' ? before(event.type) : undefined;
      if (role === 'resume') return {};
      return membersOf(last?.payload ?? of('call'), ['idempotency_key', 'instruction']);
    }
    case 'call.manifest': {
      // What a resume carries on is held against the manifest that it carries on.
      if (role === 'resume' && before('call.resumed')?.payload.verified !== null) return {};
      const retry = of('call', 'retry');
      return {
        honours_key: of('call', 'honours_key'),
        model: of('call', 'model'),
        renderer: of('context') === undefined ? undefined : (of('context', 'renderer_version') ?? 1),
        retry_policy: retry,
        system: of('call', 'system'),
      };
    }
    default:
      return {};
  }
}

/** The same names, as the event has them. */
function foundIn(event: Event, bytesOf: Recorded['bytesOf']): Members {
  const payload = event.payload as Record<string, Json>;
  switch (event.type) {
    case 'task.accepted':
      return { judgement: 'accepted' };
    case 'task.rejected':
      return { judgement: 'rejected' };
    case 'context.compilation_requested':
      return { ...payload, ...inventoryOf(event) };
    case 'call.manifest': {
      const { request_body_sha256: hash } = payload;
      const body = bodyOf(typeof hash === 'string' ? bytesOf(hash) : undefined);
      return {
        honours_key: member(payload, 'provider', 'honours_key'),
        model: member(body, 'model'),
        renderer: member(payload, 'renderer', 'version'),
        retry_policy: payload.retry_policy,
        system: member(body, 'messages', '0', 'content'),
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
