/**
 * A small world for tests, made from the contract alone and not from the runtime: a book of events with its artifacts and the
 * provider's receipts. What it writes is what a correct runtime would have written; a test then breaks one thing.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ledgerV1 } from '../contract/data.js';
import type { Event, Receipt } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { eventDigest, noDigest } from '../read/events.js';
import { sha256, textSha256 } from '../read/hash.js';
import { inFolder } from './folder.js';
import { answer, items } from './scenario.js';

const at = '2026-01-01T00:00:00.000Z';
const text = 'text/plain;charset=utf-8';
export type Ids = Partial<Pick<Event, 'call_id' | 'attempt_id' | 'compilation_id'>>;

export const beganAt = (index: number): number => 1000 * (index + 1);

export class Book {
  readonly events: Event[] = [];
  readonly artifacts = new Map<string, { media_type: string; bytes: Buffer }>();
  readonly receipts: Receipt[] = [];
  private effects = 0;
  pid = 1000;

  copy(): Book {
    const copy = new Book();
    copy.events.push(...structuredClone(this.events));
    copy.receipts.push(...structuredClone(this.receipts));
    for (const [hash, artifact] of this.artifacts) copy.artifacts.set(hash, artifact);
    copy.effects = this.effects;
    return copy;
  }

  get next(): number {
    return this.events.length + 1;
  }

  add(type: string, payload: object, ids: Ids = {}): Event {
    const none = { attempt_id: null, call_id: null, compilation_id: null };
    const event = {
      ...none,
      ...ids,
      digest: '',
      payload: payload as Event['payload'],
      recorded_at: at,
      seq: this.next,
      task_id: 'task-1',
      type,
    };
    const whole = { ...event, digest: eventDigest(event, this.events.at(-1)?.digest ?? noDigest) };
    this.events.push(whole);
    return whole;
  }

  store(content: string | Buffer, mediaType = text): string {
    const bytes = Buffer.from(content);
    const hash = sha256(bytes);
    if (!this.artifacts.has(hash)) this.artifacts.set(hash, { media_type: mediaType, bytes });
    return hash;
  }

  open(): this {
    this.add('task.created', { title: 'Review a paragraph' });
    this.add('objective.recorded', { objective_id: 'objective-1', statement: 'Review it.' });
    this.add('claim.recorded', { basis: 'log', claim_id: 'claim-1', statement: 'The figure was measured.' });
    return this;
  }

  private get offered() {
    return items.map(({ id, kind, required, tokens, content }) => ({
      content_sha256: this.store(content),
      id,
      kind,
      lineage: ['draft'],
      required,
      size: { basis: 'estimated' as const, bytes: content.length, tokens },
    }));
  }

  request(extra: string[] = []): string {
    const id = `compilation-${this.next}`;
    const required_ids = ['A', 'B', ...extra];
    this.add(
      'context.compilation_requested',
      { budget_tokens: 64, compiler: { name: 'in-order', version: 1 }, offered: this.offered, required_ids },
      { compilation_id: id },
    );
    return id;
  }

  compile(): string {
    const id = this.request();
    const pack = canonical({ budget_tokens: 64, compiler: { name: 'in-order', version: 1 }, items: this.offered });
    const hash = this.store(pack, 'application/json');
    this.add(
      'context.compiled',
      { context_package_sha256: hash, excluded: [], included_ids: ['A', 'B', 'D'], total_tokens: 12 },
      { compilation_id: id },
    );
    return id;
  }

  want(compilation_id: string, call = `call-${this.next}`): Ids {
    const ids = { call_id: call, compilation_id };
    this.add('call.requested', { idempotency_key: 'key-1', instruction: 'Review the paragraph.' }, ids);
    return ids;
  }

  get hashes() {
    const rendered = items.map(({ id, kind, content }) => `## ${id} (${kind})\n${content}\n`).join('\n');
    const messages = [
      { content: 'You review.', role: 'system' },
      { content: `Review the paragraph.\n\n${rendered}`, role: 'user' },
    ];
    const body = canonical({ messages, model: 'synthetic-1' });
    const pack = canonical({ budget_tokens: 64, compiler: { name: 'in-order', version: 1 }, items: this.offered });
    return {
      context_package_sha256: this.store(pack, 'application/json'),
      rendered_context_sha256: this.store(rendered),
      request_body_sha256: this.store(body, 'application/json'),
    };
  }

  manifest(call: Ids, honours_key = false): void {
    const retry_policy = {
      max_attempts: 2,
      retry_broken_if_key_honoured: honours_key,
      retry_not_sent: true,
      retry_statuses: [503],
    };
    const interpreter = { name: 'chat-completions', version: 1 };
    const renderer = { name: 'plain-sections', version: 1 };
    this.add(
      'call.manifest',
      { ...this.hashes, interpreter, provider: { honours_key, path: '/v1/chat/completions' }, renderer, retry_policy },
      call,
    );
  }

  start(call: Ids, number = 1): Ids {
    const ids = { ...call, attempt_id: `attempt-${this.next}` };
    this.add('attempt.started', { number }, ids);
    return ids;
  }

  /** The provider's side of one request. */
  serve(ended: 'answered' | 'gone_while_held' | 'dropped' = 'answered', replayed = false): void {
    const request = this.receipts.filter(({ kind }) => kind === 'received').length + 1;
    const body = this.artifacts.get(this.hashes.request_body_sha256)?.bytes ?? Buffer.alloc(0);
    const line = { at, request, version: 'receipts/v1' as const };
    this.write({
      ...line,
      monotonic_ns: this.clock,
      ...{
        body: { data: body.toString('utf8'), encoding: 'utf8' },
        body_sha256: sha256(body),
        headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1' },
      },
      ...{
        idempotency_key: 'key-1',
        kind: 'received',
        method: 'POST',
        path: '/v1/chat/completions',
        peer_pid: this.pid,
        seq: 0,
        digest: '',
      },
    });
    if (!replayed) this.effects += 1;
    const effect = { effect_id: `effect-${this.effects}`, name: 'chat.completions', replayed };
    this.write({
      ...line,
      monotonic_ns: this.clock,
      digest: '',
      effect,
      ended,
      kind: 'settled',
      response_sha256: sha256(answer),
      seq: 0,
      status: 200,
    });
  }

  /** One clock for all: a role has its lines after its beginning, an arm after its producer. */
  private get clock(): string {
    return String(beganAt(this.pid === 1000 ? 0 : 1) + 10 + this.receipts.length);
  }

  private write(receipt: Receipt): void {
    const { digest: _digest, ...rest } = { ...receipt, seq: this.receipts.length + 1 };
    this.receipts.push({ ...rest, digest: textSha256(canonical(rest)) } as Receipt);
  }

  broken(attempt: Ids): void {
    this.add(
      'attempt.observed',
      { content_type: null, delivery: 'broken', detail: 'reset', response_sha256: null, status: null },
      attempt,
    );
  }

  observe(attempt: Ids): void {
    const response_sha256 = this.store(answer, 'application/json');
    this.add(
      'attempt.observed',
      { content_type: 'application/json', delivery: 'complete', detail: null, response_sha256, status: 200 },
      attempt,
    );
  }

  finish(attempt: Ids): void {
    const { attempt_id: _attempt, ...call } = attempt;
    const text_sha256 = this.store('Fine.');
    const interpreter = { name: 'chat-completions', version: 1 };
    this.add('attempt.interpreted', { detail: null, finish_reason: 'stop', interpreter, result: 'answer', text_sha256 }, attempt);
    this.add('attempt.retry_decided', { decision: 'stop', reason: 'answered' }, attempt);
    this.add('attempt.completed', { outcome: 'succeeded' }, attempt);
    const result_id = `result-${this.next}`;
    this.add('result.recorded', { result_id, text_sha256 }, call);
    this.add('call.completed', { error: null, outcome: 'succeeded', result_id }, call);
  }

  /** From the manifest to the end of the call. */
  run(call: Ids): void {
    const attempt = this.start(call);
    this.serve();
    this.observe(attempt);
    this.finish(attempt);
  }

  resume(old: Ids): void {
    const renewed = `call-${this.next + 1}`;
    this.add(
      'call.resumed',
      { idempotency_key: 'key-1', new_call_id: renewed, old_call_id: old.call_id, verified: this.hashes },
      old,
    );
    const call = this.want(old.compilation_id ?? '', renewed);
    this.manifest(call);
    this.run(call);
  }

  get receiptBytes(): Buffer {
    return Buffer.from(this.receipts.map((receipt) => `${canonical(receipt)}\n`).join(''));
  }

  /** As SIGKILL leaves it: the connection is open while the files are copied, so that the log holds what was committed. */
  ledgerBytes(): { db: Buffer; wal: Buffer } {
    return inFolder((folder) => {
      const path = join(folder, 'ledger.sqlite');
      const db = new Database(path);
      db.pragma('journal_mode = WAL');
      db.pragma(`application_id = ${ledgerV1.application_id}`);
      db.pragma(`user_version = ${ledgerV1.user_version}`);
      for (const sql of ledgerV1.statements) db.exec(sql);
      db.pragma('wal_checkpoint(TRUNCATE)');
      const insert = db.prepare(
        'INSERT INTO events VALUES (@seq, @type, @task_id, @call_id, @attempt_id, @compilation_id, @payload, @recorded_at, @digest)',
      );
      const keep = db.prepare('INSERT INTO artifacts VALUES (?, ?, ?)');
      for (const [hash, { media_type, bytes }] of this.artifacts) keep.run(hash, media_type, bytes);
      for (const event of this.events) insert.run({ ...event, payload: canonical(event.payload) });
      copyFileSync(path, `${path}.killed`);
      copyFileSync(`${path}-wal`, `${path}.killed-wal`);
      db.close();
      return { db: readFileSync(`${path}.killed`), wal: readFileSync(`${path}.killed-wal`) };
    });
  }
}
