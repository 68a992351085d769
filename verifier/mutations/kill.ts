/** Breaks in the account of the kill, of the processes and of the copy. */
import type { Process } from '../contract/types.js';
import type { Editor, Mutation } from './editor.js';
import { heldKill, killedAt, resumed } from './places.js';

type Facts = Parameters<Parameters<Editor['process']>[1]>[0];

function onKilled(name: string, change: (value: Facts) => void): Mutation {
  return {
    name,
    codes: ['kill-unproven'],
    apply(editor) {
      const killed = killedAt(editor);
      if (killed === undefined) return false;
      editor.process(killed, change);
      return true;
    },
  };
}

const without = (what: Process['timeline'][number]['what']) => (value: Facts) => {
  value.timeline = value.timeline.filter((moment) => moment.what !== what);
};

export const killMutations = {
  'kill-unproven': [
    onKilled('the process ended by SIGTERM', (value) => void (value.exit = { code: null, signal: 'SIGTERM' })),
    onKilled('the process ended by an exception', (value) => void (value.exit = { code: 1, signal: null })),
    onKilled('no SIGKILL was sent', without('sigkill_sent')),
    onKilled('nothing was announced', without('announced')),
    onKilled('somebody of the group was left', (value) => void value.survivors.push(value.pid + 1)),
    onKilled('the kill came before the announcement', (value) => {
      const sent = value.timeline.find(({ what }) => what === 'sigkill_sent');
      if (sent !== undefined) sent.monotonic_ns = '1';
    }),
    {
      name: 'the announced nonce is of another process',
      codes: ['kill-unproven'],
      apply(editor) {
        const killed = killedAt(editor);
        if (killed === undefined) return false;
        editor.json<{ nonce: string }>(killed.file('checkpoint.jsonl'), (line) => void (line.nonce = 'another'));
        return true;
      },
    },
    {
      name: 'the provider did not say that it held the request',
      codes: ['kill-unproven'],
      apply(editor) {
        const held = heldKill(editor);
        if (held === undefined) return false;
        editor.process(held, without('held'));
        return true;
      },
    },
  ],
  'process-shared': [
    {
      name: 'an arm ran in the process of its producer',
      codes: ['process-shared'],
      apply(editor) {
        const arm = resumed(editor);
        const producer = arm?.lineage[0]?.process.value;
        if (arm === undefined || producer === undefined) return false;
        editor.process(arm, (value) => {
          value.pid = producer.pid;
          value.start_time_ticks = producer.start_time_ticks;
        });
        return true;
      },
    },
    {
      name: 'an inspector was the process that it inspected',
      codes: ['process-shared'],
      apply(editor) {
        const arm = resumed(editor);
        const own = arm?.process.value;
        if (arm === undefined || own === undefined) return false;
        editor.inspector(arm, (value) => {
          value.pid = own.pid;
          value.start_time_ticks = own.start_time_ticks;
        });
        return true;
      },
    },
  ],
  'checkpoint-mismatch': [
    {
      name: 'the ledger goes on after the announced checkpoint',
      codes: ['checkpoint-mismatch'],
      apply(editor) {
        const killed = killedAt(editor, 'call.manifest');
        if (killed === undefined) return false;
        const checkpoint = 'call.requested';
        editor.plan((plan) => {
          const kill = plan.cases.find(({ id }) => id === killed.caseId)?.kill;
          if (kill?.at === 'checkpoint') kill.checkpoint = checkpoint;
        });
        editor.process(killed, (value) => void (value.armed = `${checkpoint}#1`));
        editor.json<{ checkpoint: string }>(killed.file('checkpoint.jsonl'), (line) => void (line.checkpoint = checkpoint));
        return true;
      },
    },
    {
      name: 'the announced event is not in the ledger',
      codes: ['checkpoint-mismatch'],
      apply(editor) {
        const killed = killedAt(editor, 'call.manifest');
        if (killed === undefined) return false;
        const checkpoint = 'call.completed';
        editor.plan((plan) => {
          const kill = plan.cases.find(({ id }) => id === killed.caseId)?.kill;
          if (kill?.at === 'checkpoint') kill.checkpoint = checkpoint;
        });
        editor.process(killed, (value) => void (value.armed = `${checkpoint}#1`));
        editor.json<{ checkpoint: string }>(killed.file('checkpoint.jsonl'), (line) => void (line.checkpoint = checkpoint));
        return true;
      },
    },
  ],
  'copy-incomplete': [
    {
      name: 'the dead process left other bytes',
      codes: ['copy-incomplete'],
      apply(editor) {
        const target = resumed(editor);
        if (target === undefined) return false;
        editor.process(
          target,
          ({ live_inventory: [first] }) => void (first === undefined ? null : (first.sha256 = '0'.repeat(64))),
        );
        return true;
      },
    },
    {
      name: 'the database was copied without its log',
      // What is left is a schema without events. The arms, which began with events, now seem to have written them all.
      codes: [
        ...([
          'copy-incomplete',
          'inspection-changed-state',
          'ledger-unreadable',
          'checkpoint-mismatch',
          'export-mismatch',
        ] as const),
        ...(['state-mismatch', 'refusal-acted', 'resume-unlawful', 'prediction-failed'] as const),
      ],
      apply(editor) {
        const killed = killedAt(editor, 'task.created');
        const log = killed?.file('state/ledger.sqlite-wal') ?? '';
        return editor.files.delete(log);
      },
    },
  ],
} satisfies Record<string, readonly Mutation[]>;
