/**
 * Where the contract leaves something to one of the sides: each freedom with the sentence that gives it. What is not listed here is a
 * disagreement.
 */
import type { Subject } from '../history/drafts.js';

export interface Freedom {
  readonly subject: Subject;
  /** What may differ. */
  readonly may: 'the judge finds more than the words forbid' | 'the runtime takes what the judge calls damaged';
  /** The judge's finding, as it is told, that the freedom is about. */
  readonly finding: RegExp;
  /** Of the contract. */
  readonly sentence: string;
}

const finer = 'the judge finds more than the words forbid';
const taken = 'the runtime takes what the judge calls damaged';

export const freedoms: readonly Freedom[] = [
  {
    ...{ subject: 'sessions', may: finer, finding: /attempt|resume_started/i },
    sentence:
      '“Kind 2 informational record”, “informational ones are skipped”: no reader decides anything from a `model_attempt_finished`, so none refuses one that is missing or elsewhere. The judge holds it against the barrier `model_attempt_finished`, `model_step_finished`.',
  },
  {
    ...{ subject: 'sessions', may: finer, finding: /^The contract has no / },
    sentence:
      '“(informational ones are skipped where they require no feature)”: a reader passes over what it does not know. That no runtime of this contract writes it is the judge’s to say (G33).',
  },
  {
    ...{ subject: 'sessions', may: finer, finding: /tenure|lineage/i },
    sentence:
      '“`fence` counts the tenures of the log: a stamp for people, no gate.” “One identity throughout, named first in each tenure” is the judge’s (G33).',
  },
  {
    ...{ subject: 'sessions', may: finer, finding: /^The fence of frame/ },
    sentence: '“`fence` … a stamp for people, no gate.” That it counts without gaps is the judge’s (G33).',
  },
  {
    ...{ subject: 'sessions', may: finer, finding: /^The frame requires / },
    sentence:
      '“`features`, sorted, is what a reader must understand”: a reader asks whether it does, not whether the record needs it. That is the judge’s (G33).',
  },
  {
    ...{ subject: 'sessions', may: finer, finding: /^The log holds no frame/ },
    sentence:
      '“Damage in the last barrier, with nothing behind it, cannot be told from a tear and is dropped”, the first one too. That a log has its name is the judge’s (G33).',
  },
  {
    ...{ subject: 'sessions', may: taken, finding: /not in canonical form/ },
    sentence:
      'A departure, and not a freedom: “a header or payload that is not canonical (…) is damage”. The runtime trusts the digest of a payload and does not serialise it again (`log/frame.ts` says why); nobody without the bytes of its own can make one.',
  },
  {
    ...{ subject: 'calls', may: taken, finding: /not in canonical form|repeated|twice/ },
    sentence:
      'A departure, and not a freedom: “`payload` is canonical JSON”, and its `digest` that of the canonical form. The runtime takes the digest over the text as it is stored, so one text of two that mean the same is as good as the other to it. The judge calls it damaged (G8).',
  },
];

export function isFree(subject: Subject, may: Freedom['may'], finding: string): boolean {
  return freedoms.some((freedom) => freedom.subject === subject && freedom.may === may && freedom.finding.test(finding));
}
