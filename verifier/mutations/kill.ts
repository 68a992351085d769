/** Breaks in the account of the kill, of the processes and of the copy. */
import type { Process } from '../contract/types.js';
import { ownLines } from '../checks/derived.js';
import type { Editor, Mutation } from './editor.js';
import { heldKill, killedAt, onPlace, type Families, type Place } from './places.js';

type Facts = Parameters<Parameters<Editor['process']>[1]>[0];
type Moment = Process['timeline'][number]['what'];

const unproven = ['kill-unproven'] as const;

function facts(find: Place, name: string, change: (value: Facts) => void): Mutation {
  return onPlace(find, name, unproven, (editor, target) => editor.process(target, change));
}

const without = (what: Moment) => (value: Facts) => {
  value.timeline = value.timeline.filter((moment) => moment.what !== what);
};

const renamed = (from: Moment, to: Moment) => (value: Facts) => {
  for (const moment of value.timeline) if (moment.what === from) moment.what = to;
};

const at = (value: Facts, what: Moment): Facts['timeline'][number] => {
  const moment = value.timeline.find((one) => one.what === what);
  if (moment === undefined) throw new Error(`A good timeline holds ${what}.`);
  return moment;
};

/** Killed at a checkpoint after it had sent something, with nobody to go on from it. */
const sentAndKilled: Place = (editor) =>
  editor.find(
    (snapshot) =>
      snapshot.planned.kill?.at === 'checkpoint' && snapshot.receipts.value !== undefined && ownLines(snapshot).length > 0,
  );

/** Killed at a checkpoint in another case than the first, which has its own identities first. */
const killedLater: Place = (editor) =>
  editor.find(({ caseId, planned: { kill } }, { cases }) => kill?.at === 'checkpoint' && caseId !== cases[0]?.id);

export const killMutations = (completed: Place, withOwnReceipts: Place) =>
  ({
    'kill-unproven': [
      facts(killedAt(), 'the process ended by SIGTERM', (value) => void (value.exit = { code: null, signal: 'SIGTERM' })),
      facts(killedAt(), 'the process ended by an exception', (value) => void (value.exit = { code: 1, signal: null })),
      facts(killedAt(), 'no SIGKILL was sent', without('sigkill_sent')),
      facts(killedAt(), 'nothing was announced', without('announced')),
      facts(killedAt(), 'the provider held, where a checkpoint was to be announced', renamed('announced', 'held')),
      facts(killedAt(), 'somebody of the group was left', (value) => void value.survivors.push(value.pid + 1)),
      facts(killedAt(), 'the kill came before the announcement', (value) => void (at(value, 'sigkill_sent').monotonic_ns = '1')),
      facts(killedAt(), 'the kill came in the instant of the announcement', (value) => {
        at(value, 'sigkill_sent').monotonic_ns = at(value, 'announced').monotonic_ns;
      }),
      onPlace(killedAt(), 'the announced nonce is of another process', unproven, (editor, target) =>
        editor.json<{ nonce: string }>(target.file('checkpoint.jsonl'), (line) => void (line.nonce = 'another')),
      ),
      onPlace(killedLater, 'a nonce was used twice', unproven, (editor, target) => {
        const nonce = editor.find(({ caseId }) => caseId !== target.caseId)?.process.value?.nonce;
        // Whoever comes later in the plan has it a second time, and cannot be the other.
        if (nonce === undefined) return false;
        editor.process(target, (value) => void (value.nonce = nonce));
        editor.json<{ nonce: string }>(target.file('checkpoint.jsonl'), (line) => void (line.nonce = nonce));
        return true;
      }),
      onPlace(sentAndKilled, 'a process sent a request after it had announced its place', ['kill-unproven'], (editor, target) =>
        editor.process(target, ({ timeline }) => {
          const [spawned, announced] = ['spawned', 'announced'].map((name) => timeline.find(({ what }) => what === name));
          if (spawned !== undefined && announced !== undefined)
            announced.monotonic_ns = String(BigInt(spawned.monotonic_ns) + 1n);
        }),
      ),
      facts(heldKill, 'the provider did not say that it held the request', without('held')),
      facts(heldKill, 'the request was seen held before it was received', (value) => {
        at(value, 'held').monotonic_ns = String(BigInt(at(value, 'spawned').monotonic_ns) + 1n);
      }),
      facts(heldKill, 'a place was announced, where a request was to be held', renamed('held', 'announced')),
      facts(completed, 'a role that ended by itself led no group', (value) => void (value.pgid += 1)),
      facts(completed, 'a role that completed exited 64', (value) => void (value.exit = { code: 64, signal: null })),
      facts(completed, 'a role was not seen to start', without('spawned')),
      facts(completed, 'the group of a role was not seen empty', without('group_empty')),
      facts(completed, 'a role left a process behind', (value) => void (value.left_behind = [value.pid + 1])),
      onPlace(completed, 'an inspector left a process behind', unproven, (editor, target) =>
        editor.inspector(target, (value) => void (value.left_behind = [value.pid + 1])),
      ),
      onPlace(completed, 'a role announced a place although none was armed', unproven, (editor, target) => {
        const line = editor.find(({ planned: { kill } }) => kill?.at === 'checkpoint')?.file('checkpoint.jsonl');
        if (line === undefined) return false;
        editor.files.set(target.file('checkpoint.jsonl'), editor.bytes(line));
        return true;
      }),
    ],
    'process-shared': [
      onPlace(completed, 'an arm began before its producer had ended', ['process-shared'], (editor, target) =>
        editor.process(target, (value) => void (at(value, 'spawned').monotonic_ns = '1')),
      ),
      onPlace(withOwnReceipts, 'a request came before its role began', ['process-shared'], (editor, target) =>
        editor.receipts(target, (lines) => {
          const received = lines.find((line) => line.kind === 'received');
          if (received !== undefined) received.monotonic_ns = '1';
        }),
      ),
      onPlace(completed, 'a role was answered after it had ended', ['process-shared'], (editor, target) =>
        editor.receipts(target, (lines) => {
          const settled = lines.findLast((line) => line.kind === 'settled');
          if (settled !== undefined) settled.monotonic_ns = '9'.repeat(18);
        }),
      ),
      onPlace(completed, 'an inspector was the process that it inspected', ['process-shared'], (editor, target) => {
        const own = target.process.value;
        if (own === undefined) return false;
        editor.inspector(target, (value) => {
          value.pid = own.pid;
          value.start_time_ticks = own.start_time_ticks;
        });
        return true;
      }),
    ],
    'copy-incomplete': [
      onPlace(completed, 'the dead process left other bytes', ['copy-incomplete'], (editor, target) =>
        editor.process(
          target,
          ({ live_inventory: [first] }) => void (first === undefined ? null : (first.sha256 = '0'.repeat(64))),
        ),
      ),
    ],
  }) satisfies Families;
