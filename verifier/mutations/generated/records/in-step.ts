/**
 * One word changed wherever a case has it: in every ledger and log with all hashes, keys and bodies that follow from it, in receipts and in
 * answers. Such a lie agrees with itself; what was asked for before, plan and script, is what it does not agree with. The new word is as
 * long as the old one, so that no size tells.
 */
import type { Answer, Event } from '../../../contract/types.js';
import type { CaseEvidence } from '../../../read/bundle.js';
import { canonical, parseJson, type Json } from '../../../read/canonical.js';
import { textSha256 } from '../../../read/hash.js';
import type { SessionFrame } from '../../../read/session-records.js';
import type { Editor } from '../../editor.js';
import type { Draft } from '../../sessions/encode.js';
import type { Good, Operator, Site } from '../operator.js';
import { fewOf, traitsOf } from './events.js';
import { copiesIn, writeCopy } from './ledger-copies.js';
import { draftOf, logsIn, writeLog } from './log-copies.js';
import { renamed, rewritten } from './rewrite.js';

interface Word {
  readonly field: string;
  readonly old: string;
  readonly traits: readonly string[];
  readonly where: string;
  readonly of: CaseEvidence;
}

export const inStep: Operator = {
  name: 'words in step',
  *sites(good) {
    const words = good.bundle.cases.flatMap((one) => wordsOf(good, one));
    for (const { field, old, traits, where, of } of fewOf(words, (word) => `${word.field} ${word.traits.join(' ')}`))
      yield {
        operator: 'another word in step',
        ...{ document: 'case', field, traits, place: `${where} ${old.slice(0, 40)}` },
        apply: (editor) => inAll(editor, of, (text) => text.replaceAll(old, another(old))),
      } satisfies Site;
  },
};

/** Its first letter or digit is the next one. */
export function another(word: string): string {
  return word.replace(/[A-Za-z0-9]/, (one) =>
    /[zZ9]/.test(one) ? String.fromCharCode(one.charCodeAt(0) - 1) : String.fromCharCode(one.charCodeAt(0) + 1),
  );
}

/** What may be replaced without meeting anything else: long enough, and written in JSON as it is. */
function isApart(word: unknown): word is string {
  return typeof word === 'string' && word.length >= 4 && /^[\w .,:?'!-]+$/.test(word);
}

function wordsOf(good: Good, of: CaseEvidence): Word[] {
  const found = new Map<string, Word>();
  const plan = good.bundle.planBytes?.toString('utf8') ?? '';
  const say = (field: string, old: unknown, snapshot: CaseEvidence['snapshots'][number]): void => {
    if (!isApart(old) || found.has(`${field} ${old}`)) return;
    const traits = [...traitsOf(good, snapshot), ...(plan.includes(old) ? ['planned'] : [])];
    found.set(`${field} ${old}`, { field, old, traits, where: `${of.id}/${snapshot.name}`, of });
  };
  for (const { snapshot, events, artifacts } of copiesIn(of))
    for (const event of events) {
      say('task_id', event.task_id, snapshot);
      for (const [field, word] of saidIn(event)) say(field, word, snapshot);
      for (const name of ['content_sha256', 'text_sha256'])
        for (const [, hash = ''] of canonical(event.payload).matchAll(new RegExp(`"${name}":"([0-9a-f]{64})"`, 'g')))
          say(name === 'text_sha256' ? 'answer' : 'content', artifacts.get(hash)?.bytes.toString('utf8'), snapshot);
    }
  for (const { snapshot, frames } of logsIn(of))
    for (const frame of frames) for (const [field, word] of recordedIn(frame)) say(field, word, snapshot);
  return [...found.values()];
}

const said: Readonly<Record<string, readonly string[]>> = {
  'task.created': ['title'],
  'objective.recorded': ['statement'],
  'claim.recorded': ['statement', 'claim_id', 'basis'],
  'call.requested': ['idempotency_key', 'instruction'],
};

function saidIn({ type, payload }: Event): [field: string, word: unknown][] {
  return (said[type] ?? []).map((name) => [name, payload[name]]);
}

function recordedIn({ type, payload }: SessionFrame): [field: string, word: unknown][] {
  const { run_id, session_id, submission_id, send_id, identity, input, assistant, ...rest } = payload as Record<string, Json>;
  // What was not dispatched says so in the words of the contract.
  const output = rest.outcome === 'completed' ? rest.output : undefined;
  const { text } = (input ?? {}) as { text?: string };
  const { tool_calls: calls = [] } = (assistant ?? {}) as { tool_calls?: { id: string; name: string }[] };
  return [
    ...(type === 'lineage'
      ? ([
          ['identity', identity],
          ['session_id', session_id],
        ] as [string, unknown][])
      : []),
    ...(type === 'run_started'
      ? ([
          ['run_id', run_id],
          ['input', text],
        ] as [string, unknown][])
      : []),
    ...([
      ['submission_id', submission_id],
      ['send_id', send_id],
      ['output', output],
    ] as [string, unknown][]),
    ...calls.map(({ id }): [string, unknown] => ['tool_call_id', id]),
  ];
}

function inAll(editor: Editor, of: CaseEvidence, change: (text: string) => string): void {
  const hashes = new Map<string, string>();
  for (const copy of copiesIn(of)) {
    const content = rewritten(copy, change);
    for (const [old, now] of content.hashes) hashes.set(old, now);
    const events = content.events.map((event) => ({ ...event, task_id: change(event.task_id) }));
    writeCopy(editor, copy, { events, artifacts: content.artifacts });
  }
  // The whole body of an effect is the output of its call.
  for (const { frames } of logsIn(of))
    for (const { payload } of frames)
      if (typeof payload.output === 'string' && change(payload.output) !== payload.output)
        hashes.set(textSha256(payload.output), textSha256(change(payload.output)));
  for (const snapshot of of.snapshots) {
    if ((snapshot.receipts.value?.lineCount ?? 0) > 0)
      editor.receipts(snapshot, (lines) =>
        lines.map((line) => {
          const anew = parseJson(change(canonical(line))) as unknown as typeof line;
          if (anew.kind !== 'settled' && anew.body.encoding === 'utf8') {
            const sha256 = textSha256(anew.body.data);
            hashes.set(anew.body_sha256, sha256);
            anew.body_sha256 = sha256;
          }
          if (anew.kind === 'settled' && anew.response_sha256 !== null)
            anew.response_sha256 = hashes.get(anew.response_sha256) ?? anew.response_sha256;
          return anew;
        }),
      );
    for (const role of snapshot.roles)
      if (role.has('answer.json'))
        editor.json<Answer>(role.file('answer.json'), (value) => void Object.assign(value, parseJson(change(canonical(value)))));
  }
  const payloadOf = (draft: Draft): Draft['payload'] =>
    parseJson(renamed(change(canonical(draft.payload)), hashes)) as unknown as Draft['payload'];
  for (const copy of logsIn(of))
    writeLog(
      editor,
      copy,
      copy.frames.map((frame) => ({ ...draftOf(frame), payload: payloadOf(draftOf(frame)) })),
    );
}
