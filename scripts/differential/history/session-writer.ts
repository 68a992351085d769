/**
 * Who writes the records of a session walk: barriers, tenures, a process that dies in the middle of one; and what a run and an answer of a
 * model look like. Which of them is lawful next is said elsewhere.
 */
import type { Frame } from '../reference/log.js';
import { kindOf } from '../reference/log.js';
import { resolved, type Payload, type RecordDraft } from './drafts.js';
import type { Tape } from './tape.js';

export type Item = readonly [type: string, payload: Payload];

const session = 'session-1';
const identity = '0123456789abcdef0123456789abcdef';
export const body = { sha256: 'a'.repeat(64), size: 10 };
export const usage = { input_tokens: 1, output_tokens: 1 };

export class SessionWriter {
  readonly drafts: RecordDraft[] = [];
  protected readonly frames: Frame[] = [];
  protected readonly isGrouped: boolean;
  protected readonly hasTimes: boolean;
  protected fence = 1;
  protected barrier = 0;
  protected names = 0;
  /** Once in so many records of its own the process dies under `each`; oftener where what is written next depends on what was. */
  protected odds = 14;
  /** The process died, and whoever comes next has written nothing yet. */
  protected isAnew = false;
  /** Nothing more is written. */
  protected isOver = false;

  constructor(protected readonly tape: Tape) {
    this.isGrouped = tape.number(2) === 0;
    this.hasTimes = tape.number(4) === 3;
    this.write([['lineage', { identity, session_id: session }]]);
  }

  /** One barrier, or under `each` one for each record; the process may die after each of them. False: it did. */
  protected write(items: readonly Item[], isSynced = true): boolean {
    let isFirst = true;
    for (const [type, payload] of items) {
      if (this.isAnew) {
        this.isAnew = false;
        this.fence += 1;
        this.barrier += 1;
        this.place('lineage', { identity, session_id: session }, true);
      } else if (isFirst || !this.isGrouped) this.barrier += 1;
      this.place(type, payload, isSynced);
      isFirst = false;
      if (!this.isGrouped && this.tape.isOnce(this.odds)) {
        this.isAnew = true;
        return false;
      }
    }
    return true;
  }

  protected place(type: string, payload: Payload, isSynced: boolean): void {
    const uid = this.drafts.length + 1;
    const time = this.hasTimes ? timeOf(type) : {};
    const draft = { uid, type, payload: { ...payload, ...time }, fence: this.fence, barrier: this.barrier, isSynced };
    this.drafts.push(draft);
    const own = resolved(draft.payload, (seq) => seq) as Frame['payload'];
    this.frames.push({
      seq: uid,
      type,
      kind: kindOf(type),
      fence: this.fence,
      synced: 0,
      features: [],
      payload: own,
      digest: '',
    });
  }

  protected get next(): number {
    return this.drafts.length + (this.isAnew ? 2 : 1);
  }

  protected get last(): number {
    return this.next - 1;
  }

  protected name(prefix: string): string {
    this.names += 1;
    return `${prefix}-${this.names}`;
  }

  protected run(id: string, text: string): Payload {
    const tool = (name: string, approval: string, more: object): object => ({
      ...{ name, description: 'A tool.', arguments: [{ name: 'amount', type: 'integer', required: true }], kind: 'http' },
      ...{ effect: name, argv: null, safety: 'side_effect', approval, on_unknown: 'interrupt', timeout_ms: 1000, ...more },
    });
    const config = {
      ...{ model: 'model-1', system: 'Be brief.', batch: this.tape.one(['sequential', 'parallel']) },
      ...{ max_steps: this.tape.one([3, 1, 2, 4]), model_leg: this.tape.one(['rerun', 'intent']), model_attempts: 3 },
      tools: [
        tool('pay', 'never', {}),
        tool('ask', 'required', {}),
        tool('look', 'never', { on_unknown: 'continue', safety: 'pure' }),
        tool('never', 'blocked', {}),
      ],
      ...{ model_timeout_ms: 1000, provider: { path: '/v1/chat/completions' }, times: this.hasTimes },
      render: { name: 'chat-messages', version: 2, bundle: null },
    };
    return { run_id: id, session_id: session, config, input: { text } };
  }

  protected assistant(): object {
    const count = this.tape.one([2, 0, 3, 1, 3, 2]);
    // Half of the times all of them can be dispatched at once.
    const isPlain = this.tape.isOnce(2);
    const calls = Array.from({ length: count }, (_none, index) => ({
      id: `call_${index + 1}`,
      name: isPlain ? 'pay' : this.tape.one(['pay', 'look', 'ask', 'pay', 'look', 'ask', 'pay', 'pay', 'never', 'unheard_of']),
      arguments: isPlain
        ? '{"amount":1}'
        : this.tape.one(['{"amount":1}', '{"amount":2}', '{"amount":3}', '{"amount":1}', '{"amount":2}', '{"amount":"much"}']),
    }));
    return { text: count === 0 ? 'An answer.' : null, tool_calls: calls };
  }
}

function timeOf(type: string): Payload {
  const members: Record<string, string> = {
    tool_dispatch_intent: 'dispatched_at_ms',
    tool_no_dispatch: 'dispatched_at_ms',
    tool_result: 'finished_at_ms',
    approval_requested: 'deferred_at_ms',
    approval_resolved: 'closed_at_ms',
  };
  const member = members[type];
  return member === undefined ? {} : { [member]: 1 };
}
