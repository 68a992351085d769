/** A history in words, a line for each draft, for whoever has to understand a disagreement. */
import type { EventDraft, History, RecordDraft } from './drafts.js';

/** Members that decide nothing here and are long. */
const left =
  /_sha256$|^(config|interpreter|renderer|retry_policy|instruction|request|usage|evidence_sha256|verified|recovery|offered|compiler)$/;

export function inWords(history: History): string {
  const drafts: readonly (EventDraft | RecordDraft)[] = history.drafts;
  const lines = drafts.map((draft, index) => `  ${String(index + 1).padStart(3)}  ${headOf(draft)} ${bodyOf(draft)}`);
  const more = [
    ...history.breaches.map((breach) => `broken: ${breach}`),
    ...(history.subject === 'calls' && history.hasLog ? ['a part of it lies in the write-ahead log'] : []),
  ];
  return [
    `${history.subject}, ${drafts.length} entries${more.length === 0 ? ', lawful' : `; ${more.join('; ')}`}`,
    ...lines,
  ].join('\n');
}

function headOf(draft: EventDraft | RecordDraft): string {
  if ('fence' in draft) return `[${draft.fence}/${draft.barrier}${draft.isSynced ? '' : ' not synced'}] ${draft.type}`;
  const ids = [draft.attempt ?? draft.call ?? draft.compilation ?? draft.task];
  return `${draft.type} ${ids.join(' ')}`;
}

function bodyOf(draft: EventDraft | RecordDraft): string {
  const kept = Object.entries(draft.payload).filter(([name]) => !left.test(name));
  const config = draft.payload['config'] as { batch: string; max_steps: number; model_leg: string } | undefined;
  const forged = 'forged' in draft && draft.forged !== undefined ? ` forged ${JSON.stringify(draft.forged)}` : '';
  const run = config === undefined ? '' : ` (${config.batch}, at most ${config.max_steps} steps, ${config.model_leg})`;
  return `${kept.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ')}${run}${forged}`;
}
