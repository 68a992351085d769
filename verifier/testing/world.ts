/**
 * A small world for tests, made from the contract alone and not from the runtime: a book of events with its artifacts, and the log of
 * its provider. What it writes is what a correct runtime would have written; a test then breaks one thing.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ledgerV1 } from '../contract/data.js';
import type { Event } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { eventDigest, noDigest } from '../read/events.js';
import { sha256 } from '../read/hash.js';
import { inFolder } from './folder.js';
import { ProviderLog, type Served } from './provider.js';
import { answer, at, items, key, scenario } from './scenario.js';

const text = 'text/plain;charset=utf-8';
export type Ids = Partial<Pick<Event, 'call_id' | 'attempt_id' | 'compilation_id'>>;

export class Book {
  readonly events: Event[] = [];
  /** With the event that names each first. */
  readonly artifacts = new Map<string, { media_type: string; bytes: Buffer; first: number }>();
  provider = new ProviderLog();
  /** Each request is recorded with what was asked for; a runtime of before did not do that. */
  specs = false;

  /** What another process goes on from. */
  continued(pid = 2000): Book {
    const copy = new Book();
    copy.events.push(...structuredClone(this.events));
    for (const [hash, artifact] of this.artifacts) copy.artifacts.set(hash, artifact);
    copy.provider = this.provider.continued(pid);
    copy.specs = this.specs;
    return copy;
  }

  get pid(): number {
    return this.provider.pid;
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
    if (!this.artifacts.has(hash)) this.artifacts.set(hash, { media_type: mediaType, bytes, first: this.next });
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

  want(compilation_id: string, { call = `call-${this.next}`, ...more }: { call?: string; recovery?: object } = {}): Ids {
    const ids = { call_id: call, compilation_id };
    const spec = this.specs ? { spec_sha256: this.spec(compilation_id) } : {};
    this.add('call.requested', { idempotency_key: key, instruction: 'Review the paragraph.', ...spec, ...more }, ids);
    return ids;
  }

  private spec(compilation_id: string): string {
    const { call } = scenario();
    const context_package_sha256 = this.store(this.texts.pack, 'application/json');
    const { interpreter, provider, renderer, retry_policy } = this.intent(false);
    const { instruction, model, system } = call;
    const asked = { compilation_id, context_package_sha256, instruction, interpreter, model, provider };
    return this.store(canonical({ ...asked, renderer, retry_policy, system, tools: null }), 'application/json');
  }

  get hashes() {
    const { body, pack, rendered } = this.texts;
    return {
      context_package_sha256: this.store(pack, 'application/json'),
      rendered_context_sha256: this.store(rendered),
      request_body_sha256: this.store(body, 'application/json'),
    };
  }

  private get texts() {
    const rendered = items.map(({ id, kind, content }) => `## ${id} (${kind})\n${content}\n`).join('\n');
    const messages = [
      { content: 'You review.', role: 'system' },
      { content: `Review the paragraph.\n\n${rendered}`, role: 'user' },
    ];
    const body = canonical({ messages, model: 'synthetic-1' });
    const pack = canonical({ budget_tokens: 64, compiler: { name: 'in-order', version: 1 }, items: this.offered });
    return { body, pack, rendered };
  }

  manifest(call: Ids, honours_key = false): void {
    this.add('call.manifest', { ...this.hashes, ...this.intent(honours_key) }, call);
  }

  private intent(honours_key: boolean) {
    return {
      interpreter: { name: 'chat-completions', version: 1 },
      provider: { honours_key, path: '/v1/chat/completions' },
      renderer: { name: 'plain-sections', version: 1 },
      retry_policy: scenario({ honours_key }).call.retry,
    };
  }

  start(call: Ids, number = 1, more: { cites?: number; recovery?: object } = {}): Ids {
    const ids = { ...call, attempt_id: `attempt-${this.next}` };
    this.add('attempt.started', { number, ...more }, ids);
    return ids;
  }

  /** An attempt is sent, and the provider does with it what is told. */
  serve(attempt: Ids, served: Served = {}): void {
    this.provider.serve(this.sent(attempt), served);
  }

  /** What an attempt sends; a runtime of before sent no token. */
  sent({ attempt_id: attempt = null }: Ids) {
    const body = this.artifacts.get(this.hashes.request_body_sha256)?.bytes ?? Buffer.alloc(0);
    return { body, token: this.specs ? Number(attempt?.replace('attempt-', '')) : undefined };
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
    this.interpret(attempt);
    this.decide(attempt);
    this.close(attempt);
  }

  interpret(attempt: Ids, more: object = {}): void {
    const interpreter = { name: 'chat-completions', version: 1 };
    const meaning = { detail: null, finish_reason: 'stop', interpreter, result: 'answer', text_sha256: this.store('Fine.') };
    this.add('attempt.interpreted', { ...meaning, ...more }, attempt);
  }

  decide(attempt: Ids, more: object = {}): void {
    this.add('attempt.retry_decided', { decision: 'stop', reason: 'answered', ...more }, attempt);
  }

  close(attempt: Ids, more: object = {}): void {
    this.add('attempt.completed', { outcome: 'succeeded', ...more }, attempt);
    this.record(attempt, more);
    this.end(attempt, more);
  }

  record({ attempt_id: _attempt, ...call }: Ids, more: object = {}): void {
    this.add('result.recorded', { result_id: `result-${this.next}`, text_sha256: this.store('Fine.'), ...more }, call);
  }

  end({ attempt_id: _attempt, ...call }: Ids, more: object = {}): void {
    const result_id = this.events.findLast(({ type }) => type === 'result.recorded')?.payload.result_id ?? null;
    this.add('call.completed', { error: null, outcome: 'succeeded', result_id, ...more }, call);
  }

  /** From the manifest to the end of the call. */
  run(call: Ids): void {
    this.answered(this.start(call));
  }

  /** From the start of an attempt to the end of its call. */
  answered(attempt: Ids): void {
    this.serve(attempt);
    this.observe(attempt);
    this.finish(attempt);
  }

  resume(old: Ids, how: Parameters<Book['renew']>[1] = {}): void {
    this.run(this.renew(old, how));
  }

  /** A call in the place of an old one, up to its manifest. */
  renew(old: Ids, { verified = true, ...recovery }: { verified?: boolean; recovery?: object } = {}): Ids {
    const renewed = `call-${this.next + 1}`;
    const link = { idempotency_key: key, new_call_id: renewed, old_call_id: old.call_id };
    const held = verified ? { verified: this.hashes } : { spec_verified: true, verified: null };
    this.add('call.resumed', { ...link, ...held, ...recovery }, old);
    const call = this.want(old.compilation_id ?? '', { call: renewed, ...recovery });
    this.manifest(call);
    return call;
  }

  /**
   * As SIGKILL leaves it: the connection is open while the files are copied, so that the log holds what was committed. `commits`: the last
   * event of each; without them everything is one of its own.
   */
  ledgerBytes(commits: readonly number[] = []): { db: Buffer; wal: Buffer } {
    return inFolder((folder) => {
      const path = join(folder, 'ledger.sqlite');
      const db = new Database(path);
      db.pragma('journal_mode = WAL');
      // Nothing here outlives the test, so nothing needs to reach the disk.
      db.pragma('synchronous = OFF');
      db.pragma(`application_id = ${ledgerV1.application_id}`);
      db.pragma(`user_version = ${ledgerV1.user_version}`);
      for (const sql of ledgerV1.statements) db.exec(sql);
      db.pragma('wal_checkpoint(TRUNCATE)');
      const insert = db.prepare(
        'INSERT INTO events VALUES (@seq, @type, @task_id, @call_id, @attempt_id, @compilation_id, @payload, @recorded_at, @digest)',
      );
      const keep = db.prepare('INSERT INTO artifacts VALUES (?, ?, ?)');
      const upTo = (last: number, from = 0): void => {
        for (const [hash, { media_type, bytes, first }] of this.artifacts)
          if (first > from && first <= last) keep.run(hash, media_type, bytes);
        for (const event of this.events.slice(from, last)) insert.run({ ...event, payload: canonical(event.payload) });
      };
      if (commits.length === 0) upTo(this.next);
      for (const [index, last] of commits.entries()) db.transaction(upTo)(last, commits[index - 1]);
      copyFileSync(path, `${path}.killed`);
      copyFileSync(`${path}-wal`, `${path}.killed-wal`);
      db.close();
      return { db: readFileSync(`${path}.killed`), wal: readFileSync(`${path}.killed-wal`) };
    });
  }
}
