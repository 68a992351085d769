/** Breaks in the ledger. Digests, inventories, export and projection are made good again, so that only meaning is left to tell. */
import type { FindingCode } from '../checks/check.js';
import type { Snapshot } from '../read/bundle.js';
import type { Editor, Mutation } from './editor.js';
import { inheritedCount } from '../checks/derived.js';
import { firstAdded, isLeaf, refused, resumed } from './places.js';

type Events = Parameters<Parameters<Editor['events']>[1]>[0];

/** Changes the first event of a type that the resume added. */
function onAdded(
  name: string,
  codes: readonly FindingCode[],
  type: string,
  change: (payload: Record<string, unknown>) => void,
): Mutation {
  return onEvents(name, codes, (events, snapshot) => {
    const added = events.slice(inheritedCount(snapshot)).find((event) => event.type === type);
    if (added !== undefined) change(added.payload);
  });
}

function onEvents(
  name: string,
  codes: readonly FindingCode[],
  change: (events: Events, snapshot: Snapshot) => Events | void,
): Mutation {
  return {
    name,
    codes,
    apply(editor) {
      const target = resumed(editor);
      if (target === undefined) return false;
      editor.events(target, (events) => change(events, target));
      editor.coverAll(target);
      return true;
    },
  };
}

function onDatabase(name: string, codes: readonly FindingCode[], change: (target: Snapshot, editor: Editor) => void): Mutation {
  return {
    name,
    codes,
    apply(editor) {
      const target = resumed(editor);
      if (target === undefined) return false;
      change(target, editor);
      editor.coverFiles(target);
      editor.coverExport(target);
      return true;
    },
  };
}

function answerHash(snapshot: Snapshot): string {
  return String(firstAdded(snapshot, 'result.recorded')?.payload.text_sha256);
}

export const recordMutations = {
  'ledger-unreadable': [
    {
      name: 'the ledger is gone',
      codes: ['ledger-unreadable'],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.files.delete(target.file('state/ledger.sqlite'));
        editor.files.delete(target.file('state/ledger.sqlite-wal'));
        editor.coverFiles(target);
        return true;
      },
    },
    {
      name: 'the ledger is cut in half',
      codes: ['ledger-unreadable'],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.database(target, () => undefined);
        const bytes = editor.bytes(target.file('state/ledger.sqlite'));
        editor.files.set(target.file('state/ledger.sqlite'), Buffer.from(bytes.subarray(0, bytes.length >> 1)));
        editor.coverFiles(target);
        return true;
      },
    },
    onDatabase('the header of the database is gone', ['ledger-unreadable'], (target, editor) => {
      // Written out first, so that no page in a log takes the place of the damaged one.
      editor.database(target, () => undefined);
      const path = target.file('state/ledger.sqlite');
      editor.files.set(path, Buffer.concat([Buffer.alloc(16), editor.bytes(path).subarray(16)]));
    }),
    onDatabase('a page of the database is garbage', ['ledger-unreadable'], (target, editor) => {
      editor.database(target, () => undefined);
      const bytes = Buffer.from(editor.bytes(target.file('state/ledger.sqlite')));
      editor.files.set(target.file('state/ledger.sqlite'), bytes.fill(0xff, 4096, 4096 + 512));
    }),
  ],
  'ledger-schema': [
    onDatabase('a trigger is gone', ['ledger-schema'], (target, editor) =>
      editor.database(target, () => undefined, 'events_no_update'),
    ),
    onDatabase('a view was added', ['ledger-schema'], (target, editor) =>
      editor.database(target, (db) => void db.exec('CREATE VIEW latest AS SELECT max(seq) FROM events')),
    ),
    onDatabase('the version is another one', ['ledger-schema'], (target, editor) =>
      editor.database(target, (db) => void db.pragma('user_version = 2')),
    ),
  ],
  'event-chain-broken': [
    onDatabase('an event was changed under its digest', ['event-chain-broken'], (target, editor) => {
      const seq = firstAdded(target, 'result.recorded')?.seq;
      editor.database(
        target,
        (db) => void db.prepare("UPDATE events SET recorded_at = '2000-01-01T00:00:00.000Z' WHERE seq = ?").run(seq),
      );
    }),
    {
      // The seed's first: without its intent, what was observed and received hangs in the air.
      name: 'an intent event deleted',
      codes: [
        ...(['event-chain-broken', 'order-violated', 'interpretation-mismatch', 'completion-unsound'] as const),
        ...(['receipt-unintended', 'prediction-failed'] as const),
      ],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.events(target, (events) => events.filter((event) => event.seq !== firstAdded(target, 'attempt.started')?.seq));
        editor.coverAll(target);
        return true;
      },
    },
  ],
  'event-malformed': [
    onDatabase('a payload is not canonical', ['event-malformed'], (target, editor) => {
      const seq = firstAdded(target, 'attempt.completed')?.seq;
      editor.database(
        target,
        (db) => void db.prepare("UPDATE events SET payload = replace(payload, ':', ': ') WHERE seq = ?").run(seq),
      );
    }),
  ],
  'artifact-missing': [
    onDatabase('the text of the answer is gone', ['artifact-missing'], (target, editor) =>
      editor.database(target, (db) => void db.prepare('DELETE FROM artifacts WHERE sha256 = ?').run(answerHash(target))),
    ),
  ],
  'artifact-altered': [
    onDatabase('the text of the answer is another one', ['artifact-altered'], (target, editor) =>
      editor.database(
        target,
        (db) => void db.prepare('UPDATE artifacts SET bytes = zeroblob(length(bytes)) WHERE sha256 = ?').run(answerHash(target)),
      ),
    ),
  ],
  'history-rewritten': [
    onEvents('an inherited event was rewritten', ['history-rewritten'], (events) => {
      const objective = events.find(({ type }) => type === 'objective.recorded');
      if (objective !== undefined) objective.payload.statement = 'Something else.';
    }),
  ],
  'order-violated': [
    onEvents('an attempt was completed before it was decided', ['order-violated'], (events, snapshot) => {
      const at = events.findIndex(({ type, seq }) => type === 'attempt.retry_decided' && seq > inheritedCount(snapshot));
      const [decided, completed] = [events[at], events[at + 1]];
      if (decided === undefined || completed === undefined) return;
      [decided.seq, completed.seq] = [completed.seq, decided.seq];
      events.splice(at, 2, completed, decided);
    }),
  ],
  'manifest-mismatch': [
    {
      // The seed's fifth. The other hash names stored bytes, so that not its absence but its meaning tells.
      name: 'a manifest\u2019s body hash altered',
      codes: [
        'manifest-mismatch',
        'receipt-unintended',
        'intent-unserved',
        'observation-mismatch',
        'resume-unlawful',
        'prediction-failed',
      ],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.events(target, (events) => {
          const added = events.slice(inheritedCount(target)).find(({ type }) => type === 'call.manifest');
          if (added !== undefined) added.payload.request_body_sha256 = added.payload.rendered_context_sha256;
        });
        editor.coverAll(target);
        return true;
      },
    },
  ],
  'interpretation-mismatch': [
    onAdded('another finish reason than in the bytes', ['interpretation-mismatch'], 'attempt.interpreted', (payload) => {
      payload.finish_reason = 'length';
    }),
    onEvents('the result is another text', ['interpretation-mismatch'], (events) => {
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
    {
      name: 'a broken delivery was retried and passed over though the key is not honoured',
      codes: ['completion-unsound', 'retry-unlawful', 'prediction-failed'],
      apply(editor) {
        const target = editor.find((snapshot, bundle) => {
          const retried = firstAdded(snapshot, 'attempt.retry_decided')?.payload.reason === 'broken_key_honoured';
          return retried && isLeaf(snapshot, bundle) && snapshot.base === undefined;
        });
        if (target === undefined) return false;
        editor.events(target, (events) => {
          for (const { type, payload } of events) {
            if (type === 'call.manifest') payload.provider = { ...(payload.provider as object), honours_key: false };
          }
        });
        editor.coverAll(target);
        return true;
      },
    },
    onAdded('a success with an error', ['completion-unsound'], 'call.completed', (payload) => {
      payload.error = 'provider_error';
    }),
    {
      name: 'a call completed with an attempt that was not answered',
      codes: ['completion-unsound'],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.events(target, (events) => {
          const completed = events.slice(inheritedCount(target)).find(({ type }) => type === 'attempt.completed');
          if (completed !== undefined) completed.payload.outcome = 'failed';
        });
        editor.coverAll(target);
        return true;
      },
    },
  ],
  'resume-unlawful': [
    onAdded('a resume that verified nothing', ['resume-unlawful'], 'call.resumed', (payload) => {
      payload.verified = null;
    }),
  ],
  'refusal-acted': [
    {
      name: 'a refusal that appended an event',
      codes: ['refusal-acted', 'resume-unlawful', 'prediction-failed'],
      apply(editor) {
        const target = refused(editor);
        if (target === undefined) return false;
        editor.events(target, (events) => [...events, appended(events)]);
        editor.coverAll(target);
        return true;
      },
    },
  ],
  'inspection-changed-state': [
    {
      // The seed's third. The inspector told what it read before it wrote.
      name: 'an event appended by an inspection',
      codes: ['inspection-changed-state', 'copy-incomplete', 'export-mismatch', 'state-mismatch', 'prediction-failed'],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.events(target, (events) => [...events, appended(events)]);
        const { state } = editor.again(target);
        editor.inspector(target, (value) => void (value.after = structuredClone(state)));
        return true;
      },
    },
    {
      name: 'the inspector met another state than the bundle holds',
      codes: ['inspection-changed-state'],
      apply(editor) {
        const target = editor.find(isLeaf);
        if (target === undefined) return false;
        editor.inspector(target, ({ before: [first] }) => void (first === undefined ? null : (first.size += 1)));
        return true;
      },
    },
  ],
} satisfies Record<string, readonly Mutation[]>;

/** An event that is lawful anywhere: only that it is there can be wrong. */
function appended(events: Events): Events[number] {
  const last = events.at(-1);
  if (last === undefined) throw new Error('A good ledger holds events.');
  const payload = { claim_id: 'claim-appended', statement: 'Somebody wrote here.', basis: 'nobody knows' };
  return { ...last, seq: last.seq + 1, type: 'claim.recorded', call_id: null, attempt_id: null, compilation_id: null, payload };
}
