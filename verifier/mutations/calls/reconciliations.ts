/** Breaks in what was found out about unknown effects, and in who decided to pay again. */
import type { Editor, Mutation } from '../editor.js';
import type { Events } from './edits.js';
import { onPlace } from '../places.js';
import { acceptance, askedOfProvider, heldBack, notFound, onAdded, onOne, spent, stated } from './recovery-places.js';

const unsound = ['reconciliation-unsound'] as const;

export const reconciliationMutations = {
  'reconciliation-unsound': [
    onOne(askedOfProvider, 'a finding of the provider in the name of somebody else', unsound, 'effect.reconciled', (payload) => {
      payload.authority = 'somebody';
    }),
    onOne(stated, 'a statement in the name of another operator', unsound, 'effect.reconciled', (payload) => {
      payload.authority = 'somebody';
    }),
    onOne(notFound, 'a reason that the evidence does not give', unsound, 'effect.reconciled', (payload) => {
      payload.reason = 'in_progress';
    }),
    onPlace(askedOfProvider, 'the provider was asked about another request', unsound, (editor, target) =>
      editor.receipts(target, (lines) => {
        for (const line of lines)
          if (line.kind === 'received' && line.path.startsWith('/keys/')) line.headers['request-sha256'] = '0'.repeat(64);
      }),
    ),
    onPlace(
      heldBack,
      'what a fence held back had its effect after all',
      ['reconciliation-unsound', 'script-departed', 'prediction-failed'],
      (editor, target) => editor.receipts(target, letThrough),
    ),
  ],
  'attempt-unlawful': [
    onPlace(
      acceptance,
      'a duplicate was accepted by somebody else than the plan says',
      ['attempt-unlawful'],
      (editor, target) => {
        editor.plan((plan) => {
          const arm = plan.cases.find(({ id }) => id === target.caseId)?.arms.find(({ id }) => id === target.name);
          if (arm?.input !== undefined) arm.input.by = 'somebody';
        });
      },
    ),
    onOne(
      spent,
      'an attempt that cites no decision',
      ['attempt-unlawful', 'order-violated', 'retry-unlawful', 'completion-unsound'],
      'attempt.started',
      (payload) => void Reflect.deleteProperty(payload, 'cites'),
    ),
    onAdded(
      spent,
      'a decision spent twice',
      ['attempt-unlawful', 'order-violated', 'completion-unsound', 'recovery-unlawful', 'intent-unserved', 'prediction-failed'],
      spendAgain,
    ),
  ],
} satisfies Record<string, readonly Mutation[]>;

type Lines = Parameters<Parameters<Editor['receipts']>[1]>[0];

/** The request that a fence held back has an effect, and every effect its number in the order of the lines. */
function letThrough(lines: Lines): void {
  const held = lines.find((line) => line.kind === 'settled' && line.status === 412);
  const served = lines.find((line) => line.kind === 'settled' && line.effect !== null);
  if (held?.kind !== 'settled' || served?.kind !== 'settled' || served.effect === null) return;
  held.effect = { ...served.effect };
  let number = 0;
  for (const line of lines)
    if (line.kind === 'settled' && line.effect?.replayed === false) line.effect.effect_id = `effect-${(number += 1)}`;
}

/** One more attempt after everything, citing the decision that the one before it spent. */
function spendAgain(added: Events): Events {
  const [spender, last] = [added.find(({ type }) => type === 'attempt.started'), added.at(-1)];
  if (spender === undefined || last === undefined) return added;
  const seq = last.seq + 1;
  const payload = { ...structuredClone(spender.payload), number: Number(spender.payload.number) + 1 };
  return [...added, { ...spender, seq, attempt_id: `attempt-${seq}`, payload }];
}
