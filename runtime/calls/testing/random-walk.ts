/**
 * A random walk over operations, answers of a provider and deaths, on one ledger.
 *
 * Each step is a process of its own, as far as the ledger can tell: it opens, acts, perhaps dies at a commit, and what it left is read by the
 * next. A dry run before each operation must tell what the operation then does. After each step it is demanded that nothing was paid for
 * that nobody asked for. At the end the provider works and a person does what only a person can, until the task has ended.
 */
import { deepStrictEqual, ok } from 'node:assert/strict';
import type { WorkState } from '../../contract/types.js';
import type { RuntimeOptions } from '../api/options.js';
import type { Runtime } from '../api/runtime.js';
import { RuntimeError } from '../../core/errors.js';
import type { LedgerEvent } from '../core/events.js';
import { answeringCall } from '../core/operations.js';
import type { CarriedOut, Finding, Operation } from '../core/vocabulary.js';
import { items, newFolder, open } from './folder.js';
import { answerText } from '../../testing/provider.js';
import { carryOut, operator, type Step } from './step.js';
import { seeded, type Declared, type UnreliableProvider } from './unreliable-provider.js';

class Died extends Error {}

const operations: readonly CarriedOut[] = [
  'start_call',
  'recompile',
  'fix_inputs',
  'reconcile_effect',
  'accept_duplicate',
  'reinterpret',
  'redecide',
  'start_next_attempt',
  'finalize',
  'check_and_accept',
];
const findings: readonly Finding[] = ['served', 'not_served', 'unknown'];
const response = { status: 200, contentType: null, bytes: Buffer.from(answerText) };

/** A walk over one ledger: a function of its seed. */
export class Walk {
  readonly folder = newFolder();
  readonly random: () => number;
  readonly declared: Declared;
  readonly provider: UnreliableProvider;
  readonly commit: 'each' | 'grouped';
  readonly keyOf = new Map<string, string>();
  /** Effects of a key that somebody asked for: calls, accepted duplicates, statements that were wrong. */
  readonly asked = new Map<string, number>();
  events: readonly LedgerEvent[] = [];
  state!: WorkState;
  readonly reached = new Set<string>();

  constructor(
    readonly seed: number,
    /** Whether calls share keys, as those of a caller do who calls again instead of recovering. */
    readonly sharedKeys: boolean,
    begin: (random: () => number, declared: Declared) => UnreliableProvider,
    private readonly url: string,
  ) {
    this.random = seeded(seed);
    this.declared = { honoursKey: this.random() < 0.5, reconcile: this.random() < 0.5 ? 'lookup' : 'fence' };
    this.commit = this.random() < 0.5 ? 'each' : 'grouped';
    this.provider = begin(this.random, this.declared);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  open(dieAt = Infinity, changes: Partial<RuntimeOptions> = {}): Runtime {
    let commits = 0;
    return open(this.folder, {
      commit: this.commit,
      transport: this.provider.transport,
      provider: { url: this.url, model: 'synthetic-1', system: 'You review.', ...this.declared },
      retry: { max_attempts: 2, retry_statuses: [503], retry_not_sent: true, retry_broken_if_key_honoured: true },
      onCommitted: () => {
        commits += 1;
        if (commits === dieAt) throw new Died();
      },
      ...changes,
    });
  }

  /** Does one thing in a process of its own, which may die at one of its commits. */
  async inProcess(act: (runtime: Runtime) => unknown, dieAt = Infinity, changes: Partial<RuntimeOptions> = {}): Promise<unknown> {
    const runtime = this.open(dieAt, changes);
    let ended: unknown = null;
    try {
      await act(runtime);
    } catch (error) {
      ended = error;
    }
    runtime.close();
    if (ended !== null && !(ended instanceof RuntimeError) && !(ended instanceof Died)) throw ended;
    this.look();
    return ended;
  }

  /** The ledger as whoever comes next finds it. */
  look(): void {
    const runtime = this.open();
    this.events = [...runtime.events()];
    this.state = runtime.workState('task-1');
    for (const { stage } of this.state.calls) this.reached.add(stage);
    runtime.close();
    this.demandPaid();
  }

  demandPaid(): void {
    const spent = new Map<string, number>();
    const bump = (map: Map<string, number>, key: string, by = 1) => map.set(key, (map.get(key) ?? 0) + by);
    for (const { type, call_id, payload } of this.events) {
      if (type === 'call.requested') this.keyOf.set(call_id ?? '', payload.idempotency_key);
      const key = this.keyOf.get(call_id ?? '') ?? '';
      if (type === 'attempt.started' && payload.cites !== undefined) {
        const cited = this.events[payload.cites - 1];
        if (cited?.type === 'duplicate.accepted') bump(spent, key);
      }
      if (type === 'effect.reconciled' && payload.basis === 'operator_statement' && payload.finding === 'not_served')
        bump(spent, key);
    }
    for (const key of new Set(this.keyOf.values())) {
      const most = this.declared.honoursKey ? 1 : (this.asked.get(key) ?? 0) + (spent.get(key) ?? 0);
      if (this.provider.effectsOf(key) > most)
        throw new Error(
          `seed ${this.seed}: ${key} was paid for ${this.provider.effectsOf(key)} times, and ${most} were asked for`,
        );
    }
  }

  randomStep(ids: readonly string[]): Step {
    const operation = this.pick(operations);
    const on = this.pick([...ids, 'call-999', 'compilation-999']);
    return { operation, on, given: this.given(operation, on) };
  }

  given(operation: CarriedOut, on: string): Step['given'] {
    if (operation === 'fix_inputs' && on.startsWith('compilation'))
      return { inputs: { items, requiredIds: this.random() < 0.7 ? ['A'] : ['never-offered'] } };
    if (operation === 'fix_inputs') return { inputs: {} };
    if (operation === 'reinterpret') return this.random() < 0.5 ? {} : { interpreterVersion: this.pick([1, 2]) };
    if (operation !== 'reconcile_effect' || this.random() < 0.7) return {};
    const finding = this.pick(findings);
    return { statement: { ...operator, finding, ...(finding === 'served' && this.random() < 0.5 && { response }) } };
  }

  /** The dry run of a step, then the step; both say the same. */
  async step(step: Step, dieAt: number): Promise<unknown> {
    const { operation, on, given } = step;
    const known = { events: this.events.length, sends: this.provider.sends.length };
    let told: { plan: ReturnType<Runtime['dryRun']> } | { error: unknown };
    const dry = this.open();
    try {
      told = { plan: dry.dryRun(operation, on, given) };
    } catch (error) {
      told = { error };
    }
    dry.close();
    const ended = await this.inProcess((runtime) => carryOut(runtime, step), dieAt);
    const appended = this.events.slice(known.events).map(({ type }) => type);
    const sent = this.provider.sends.slice(known.sends);
    if ('error' in told) {
      deepStrictEqual([(told.error as RuntimeError).message, appended, sent], [(ended as RuntimeError)?.message, [], []]);
      return ended;
    }
    const { appends, sends } = told.plan;
    const length = Math.min(appends.length, appended.length);
    deepStrictEqual(appended.slice(0, length), appends.slice(0, length), `seed ${this.seed}: ${operation} ${on}`);
    if (!(ended instanceof Died)) {
      ok(appended.length >= appends.length, `seed ${this.seed}: ${operation} ${on} appended less than was told`);
      deepStrictEqual(sent.slice(0, sends.length), sends);
    }
    return ended;
  }

  async run(steps: number): Promise<void> {
    await this.inProcess((runtime) => {
      runtime.createTask({ taskId: 'task-1', title: 'T' });
      runtime.createTask({ taskId: 'task-2', title: 'U' });
      runtime.compile('task-1', { items, requiredIds: [] });
      runtime.compile('task-2', { items, requiredIds: [] });
    });
    for (let count = 0; count < steps; count += 1) {
      const dieAt = this.random() < 0.3 ? 1 + Math.floor(this.random() * 6) : Infinity;
      const { next_operation: operation, on } = this.state.task;
      const ids = this.ids();
      const chance = this.random();
      if (chance < 0.15) await this.call(ids, dieAt);
      else if (chance < 0.25) await this.inProcess((runtime) => runtime.recover('task-1'), dieAt);
      else if (chance < 0.3) this.provider.arrive();
      else if (chance < 0.36) await this.compile(dieAt);
      else if (chance < 0.75 && on !== null && operation !== 'check_and_accept' && operation !== 'decide' && operation !== 'none')
        await this.step({ operation, on, given: this.given(operation, on) }, dieAt);
      else {
        const step = this.randomStep(ids);
        if (step.operation !== 'check_and_accept') await this.step(step, dieAt);
      }
    }
    await this.drain();
  }

  ids(): string[] {
    const { calls, compilations } = this.state;
    return [...calls.map(({ call_id }) => call_id), ...compilations.map((one) => one.compilation_id)];
  }

  async call(ids: readonly string[], dieAt: number): Promise<void> {
    const key = this.sharedKeys ? this.pick(['k1', 'k2']) : `k${this.events.length}`;
    const compilationId = this.pick(ids.filter((id) => id.startsWith('compilation')));
    this.asked.set(key, (this.asked.get(key) ?? 0) + 1);
    await this.inProcess(
      (runtime) => runtime.call({ taskId: 'task-1', compilationId, idempotencyKey: key, instruction: 'Review it.' }),
      dieAt,
      this.random() < 0.15 ? { maxRequestBytes: 10 } : {},
    );
  }

  async compile(dieAt: number): Promise<void> {
    const failing = { items, requiredIds: ['never-offered'] };
    const good = { items, requiredIds: ['A'] };
    if (this.random() < 0.5) await this.inProcess((runtime) => runtime.compile('task-1', this.pick([failing, good])), dieAt);
    else await this.inProcess((runtime) => runtime.compileFanOut('task-1', [good, failing, good]), dieAt);
  }

  /** The provider works, and a person does what only a person can. */
  async drain(): Promise<void> {
    this.provider.heal();
    for (let count = 0; count < 80; count += 1) {
      const open = this.openSteps();
      if (open.length === 0) return;
      const before = this.events.length;
      const refusals: string[] = [];
      for (const { operation, on } of open) {
        await this.leadOn(operation, on).then((ended) => refusals.push(String((ended as Error | null)?.message ?? '')));
        if (this.events.length > before) break;
      }
      if (this.events.length > before) continue;
      const stuck = refusals.filter((told) => !told.includes('was already served'));
      if (!this.sharedKeys || stuck.length > 0)
        throw new Error(`seed ${this.seed}: no way out: ${JSON.stringify(open)} ${refusals.join()}`);
      await this.inProcess((runtime) => runtime.reject('task-1', { by: 'reviewer' }));
    }
    throw new Error(`seed ${this.seed}: it never ends`);
  }

  /** What the task names, then what else is unresolved. */
  openSteps(): { operation: Operation; on: string }[] {
    const { task, answers } = this.state;
    if (task.on === null) return [];
    const unresolved = answers.unresolved.map(({ id, next_operation }) => ({ operation: next_operation, on: id }));
    return [{ operation: task.next_operation, on: task.on }, ...unresolved];
  }

  async leadOn(operation: Operation, on: string): Promise<unknown> {
    if (operation === 'check_and_accept')
      return this.step({ operation, on: 'task-1', given: { judgement: 'accepted' } }, Infinity);
    if (operation === 'none') return null;
    const call = this.state.calls.find(({ call_id }) => call_id === on);
    if (call !== undefined && answeringCall(call, this.state.calls) !== null)
      return this.step({ operation: 'finalize', on, given: {} }, Infinity);
    if (operation === 'decide') {
      const ended = await this.step({ operation: 'reconcile_effect', on, given: {} }, Infinity);
      return this.state.task.next_operation === 'decide'
        ? this.step({ operation: 'accept_duplicate', on, given: {} }, Infinity)
        : ended;
    }
    const inputs = on.startsWith('compilation') ? { items, requiredIds: ['A'] } : { compilationId: this.goodCompilation() };
    return this.step({ operation, on, given: operation === 'fix_inputs' ? { inputs } : {} }, Infinity);
  }

  goodCompilation(): string {
    return this.events.find(({ type }) => type === 'context.compiled')?.compilation_id ?? '';
  }
}
