/** Breaks in what the events say. Digests, inventories, export and projection are made good again, so that only meaning is left to tell. */
import { changeEvents, coverAll, type Events } from './edits.js';
import type { FindingCode } from '../../checks/check.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Mutation } from '../editor.js';
import { inheritedCount } from '../../checks/calls/derived.js';
import { coverSpecs, coverTokens } from './cover.js';
import { onPlace, refused, type Place } from '../places.js';
import { completed, firstAdded, honouredRetry, resumed } from './places.js';

/** Changes events, and makes everything else agree with them. */
function onEvents(
  find: Place,
  name: string,
  codes: readonly FindingCode[],
  change: (events: Events, snapshot: Snapshot) => Events | void,
): Mutation {
  return onPlace(find, name, codes, (editor, target) => {
    changeEvents(editor, target, (events) => change(events, target));
    coverSpecs(editor, target);
    coverTokens(editor, target);
    coverAll(editor, target);
  });
}

/** Changes the first event of a type that a snapshot added. */
function onAdded(
  name: string,
  codes: readonly FindingCode[],
  type: string,
  change: (payload: Record<string, unknown>) => void,
  find = completed,
): Mutation {
  return onEvents(find, name, codes, (events, snapshot) => {
    const added = events.slice(inheritedCount(snapshot)).find((event) => event.type === type);
    if (added !== undefined) change(added.payload);
  });
}

/** Changes the first event of a type of a producer that nothing continues. */
function onFirst(name: string, type: string, change: (payload: Record<string, unknown>) => void): Mutation {
  return onEvents(honouredRetry, name, ['scenario-unplanned'], (events) => {
    const first = events.find((event) => event.type === type);
    if (first !== undefined) change(first.payload);
  });
}

/** A role that sent something, of which the plan does not say whether it was answered from the ledger. */
const unforetold: Place = (editor) =>
  editor.find(({ base, planned: { kill, expect } }) => {
    return base === undefined && kill === null && expect.replayed === undefined && (expect.receipts ?? 0) > 0;
  });

export const recordMutations = {
  'event-chain-broken': [
    // The seed's first: without its intent, what was observed and received hangs in the air.
    onEvents(
      resumed,
      'an intent event deleted',
      [
        ...(['event-chain-broken', 'order-violated', 'interpretation-mismatch', 'completion-unsound'] as const),
        ...(['receipt-unintended', 'prediction-failed'] as const),
      ],
      (events, target) => events.filter((event) => event.seq !== firstAdded(target, 'attempt.started')?.seq),
    ),
  ],
  'history-rewritten': [
    onEvents(completed, 'an inherited event was rewritten', ['history-rewritten'], (events) => {
      const objective = events.find(({ type }) => type === 'objective.recorded');
      if (objective !== undefined) objective.payload.statement = 'Something else.';
    }),
  ],
  'order-violated': [
    onEvents(honouredRetry, 'a manifest belongs to an attempt', ['order-violated'], (events) => {
      for (const event of events) if (event.type === 'call.manifest') event.attempt_id = 'attempt-1';
    }),
    onEvents(completed, 'an attempt was completed before it was decided', ['order-violated'], (events, snapshot) => {
      const at = events.findIndex(({ type, seq }) => type === 'attempt.retry_decided' && seq > inheritedCount(snapshot));
      const [decided, completed] = [events[at], events[at + 1]];
      if (decided === undefined || completed === undefined) return;
      [decided.seq, completed.seq] = [completed.seq, decided.seq];
      events.splice(at, 2, completed, decided);
    }),
  ],
  'scenario-unplanned': [
    onFirst('the record speaks of another claim than the scenario', 'claim.recorded', (payload) => {
      payload.statement = 'The figure was guessed.';
    }),
    onFirst('a manifest promises other retries than the scenario', 'call.manifest', (payload) => {
      payload.retry_policy = { ...(payload.retry_policy as object), max_attempts: 9 };
    }),
    onFirst(
      'a context was compiled for fewer required items than the scenario has',
      'context.compilation_requested',
      (payload) => {
        (payload.required_ids as string[]).pop();
      },
    ),
  ],
  'manifest-mismatch': [
    onEvents(
      honouredRetry,
      'the included items are not in the order in which they were offered',
      ['manifest-mismatch'],
      (events) => {
        for (const { type, payload } of events) if (type === 'context.compiled') (payload.included_ids as string[]).reverse();
      },
    ),
    // The seed's fifth. The other hash names stored bytes, so that not its absence but its meaning tells.
    onAdded(
      'a manifest\u2019s body hash altered',
      [
        ...(['manifest-mismatch', 'receipt-unintended', 'intent-unserved'] as const),
        ...(['observation-mismatch', 'resume-unlawful', 'prediction-failed'] as const),
      ],
      'call.manifest',
      (payload) => void (payload.request_body_sha256 = payload.rendered_context_sha256),
      resumed,
    ),
  ],
  'interpretation-mismatch': [
    onAdded('another finish reason than in the bytes', ['interpretation-mismatch'], 'attempt.interpreted', (payload) => {
      payload.finish_reason = 'length';
    }),
    onAdded('another interpreter than the manifest names', ['interpretation-mismatch'], 'attempt.interpreted', (payload) => {
      payload.interpreter = { name: 'chat-completions', version: 2 };
    }),
    onEvents(completed, 'the result is another text', ['interpretation-mismatch'], (events) => {
      // A hash that names stored bytes, so that not its absence but its meaning tells.
      const manifest = events.find(({ type }) => type === 'call.manifest');
      const result = events.find(({ type }) => type === 'result.recorded');
      if (result !== undefined) result.payload.text_sha256 = manifest?.payload.rendered_context_sha256;
    }),
  ],
  'retry-unlawful': [
    onAdded('a decision that the policy does not make', ['retry-unlawful'], 'attempt.retry_decided', (payload) => {
      payload.reason = 'not_retryable';
    }),
  ],
  'completion-unsound': [
    onEvents(
      honouredRetry,
      'a broken delivery was retried and passed over though the key is not honoured',
      ['attempt-unlawful', 'completion-unsound', 'retry-unlawful', 'scenario-unplanned', 'prediction-failed'],
      (events) => {
        for (const { type, payload } of events) {
          if (type === 'call.manifest') payload.provider = { ...(payload.provider as object), honours_key: false };
        }
      },
    ),
    onEvents(
      honouredRetry,
      'a call was completed before a later one settled its attempt',
      ['completion-unsound', 'prediction-failed'],
      completedTooEarly,
    ),
    onPlace(
      unforetold,
      'a role says that it answered from the ledger what it sent',
      ['completion-unsound', 'record-malformed'],
      (editor, target) => editor.answer(target, (value) => void (value.replayed = true)),
    ),
    onAdded('a success with an error', ['completion-unsound'], 'call.completed', (payload) => {
      payload.error = 'provider_error';
    }),
    onAdded(
      'a call completed with an attempt that was not answered',
      ['completion-unsound'],
      'attempt.completed',
      (payload) => void (payload.outcome = 'failed'),
    ),
  ],
  'resume-unlawful': [
    onPlace(refused, 'a refusal names a call that is not there', ['resume-unlawful'], (editor, target) =>
      editor.answer(target, ({ refusal }) => void (refusal === null ? null : (refusal.call_id = 'call-999'))),
    ),
    onAdded(
      'a resume that verified nothing',
      ['resume-unlawful'],
      'call.resumed',
      (payload) => {
        payload.verified = null;
        // A runtime that marks its recoveries holds what has no manifest against its spec.
        if (payload.recovery !== undefined) payload.spec_verified = true;
      },
      resumed,
    ),
    onAdded(
      'a resume under another retry policy',
      ['resume-unlawful'],
      'call.manifest',
      (payload) => {
        payload.retry_policy = { ...(payload.retry_policy as object), max_attempts: 9 };
      },
      resumed,
    ),
    onAdded(
      'a resume under another promise of the provider',
      ['resume-unlawful'],
      'call.manifest',
      (payload) => {
        const provider = payload.provider as { honours_key: boolean };
        payload.provider = { ...provider, honours_key: !provider.honours_key };
      },
      resumed,
    ),
  ],
  'spec-mismatch': [
    onAdded(
      'a resume went on although the spec was not found equal',
      ['spec-mismatch'],
      'call.resumed',
      (payload) => void (payload.spec_verified = false),
      resumed,
    ),
  ],
  'refusal-acted': [
    onEvents(refused, 'a refusal that appended an event', ['refusal-acted', 'resume-unlawful', 'prediction-failed'], (events) => [
      ...events,
      appended(events),
    ]),
  ],
  'observation-mismatch': [
    onAdded('a complete delivery says why it was not', ['observation-mismatch'], 'attempt.observed', (payload) => {
      payload.detail = 'the connection was reset';
    }),
    onEvents(honouredRetry, 'a media type of a broken delivery', ['observation-mismatch'], (events) => {
      for (const { type, payload } of events)
        if (type === 'attempt.observed' && payload.delivery === 'broken') payload.content_type = 'text/plain';
    }),
    onEvents(honouredRetry, 'a response of a broken delivery', ['observation-mismatch'], (events) => {
      for (const { type, payload } of events)
        if (type === 'attempt.observed' && payload.delivery === 'broken') payload.status = 200;
    }),
  ],
  'inspection-changed-state': [
    onPlace(
      resumed,
      // The seed's third. The inspector told what it read before it wrote.
      'an event appended by an inspection',
      ['inspection-changed-state', 'copy-incomplete', 'export-mismatch', 'state-mismatch', 'prediction-failed'],
      (editor, target) => {
        changeEvents(editor, target, (events) => [...events, appended(events)]);
        const { files } = editor.again(target).state;
        editor.inspector(target, (value) => void (value.after = structuredClone(files)));
      },
    ),
  ],
} satisfies Record<string, readonly Mutation[]>;

/** An event that is lawful anywhere: only that it is there can be wrong. */
function appended(events: Events): Events[number] {
  const last = events.at(-1);
  if (last === undefined) throw new Error('A good ledger holds events.');
  const payload = { claim_id: 'claim-appended', statement: 'Somebody wrote here.', basis: 'nobody knows' };
  return { ...last, seq: last.seq + 1, type: 'claim.recorded', call_id: null, attempt_id: null, compilation_id: null, payload };
}

/**
 * The call of an honoured retry, cut in two: the first is completed while its broken attempt is open, and a second one under the same
 * key gets the answer. That answer settles the attempt, but too late for the first call.
 */
function completedTooEarly(events: Events): Events {
  const cut = events.findIndex(({ type }) => type === 'attempt.retry_decided') + 1;
  const before = events.slice(0, cut);
  const decided = before.at(-1);
  const introduced = before.filter(({ type }) => type === 'call.requested' || type === 'call.manifest');
  if (decided === undefined) return events;
  const failed = { error: 'broken', outcome: 'failed', result_id: null };
  const ended = { ...decided, type: 'call.completed', attempt_id: null, payload: failed };
  const whole: Events = [...before, ended, ...introduced.map((event) => structuredClone(event)), ...events.slice(cut)];
  const ids = new Map<string | null, string | null>();
  return whole.map((event, index) => {
    const seq = index + 1;
    if (index > cut) {
      // What follows belongs to the second call; ids are made from the rows that introduce them.
      if (event.type === 'call.requested') ids.set(event.call_id, `call-${seq}`);
      if (event.type === 'attempt.started') ids.set(event.attempt_id, `attempt-${seq}`);
      if (event.type === 'attempt.started') event.payload.number = 1;
      if (event.type === 'result.recorded') ids.set(String(event.payload.result_id), `result-${seq}`);
      if ('result_id' in event.payload) event.payload.result_id = ids.get(String(event.payload.result_id)) ?? null;
    }
    const renamed = (id: string | null): string | null => (index > cut ? (ids.get(id) ?? id) : id);
    return { ...event, seq, call_id: renamed(event.call_id), attempt_id: renamed(event.attempt_id) };
  });
}
