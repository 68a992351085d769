/**
 * Where the contract leaves something to one of the sides: each freedom with the sentence that gives it. What is not listed here is a
 * disagreement. A freedom is taken by codes and by what the reference read, never by how somebody words a refusal; how often each was taken
 * is part of a summary.
 */
export const freedoms = {
  'the digest of a payload is trusted': {
    subject: 'sessions',
    sentence:
      '“Payloads are canonical JSON; the verifier re-serialises them, replay trusts the digest” (DESIGN, 4 (a)). What the runtime then says is held against the reference’s account of whoever trusts it too.',
  },
  'an order is the judge’s': {
    subject: 'both',
    sentence:
      '“An intact frame that is out of place (…) is damage”, “gapless and chained by digest”: a reader must refuse damage, and no sentence has it refuse an order; that is a finding of the judge (G10, G14, G28, G34, G39, G40). It refuses one only as damage, and only one that the judge finds.',
  },
  'what carries no meaning is passed over': {
    subject: 'sessions',
    sentence:
      '“`fence` counts the tenures of the log: a stamp for people, no gate”, “informational ones are skipped where they require no feature”, “`features` is what a reader must understand”: of G33 a reader asks only for what it cannot read. Only the rules about frames may be broken, none about records.',
  },
  'a misplaced record comes first': {
    subject: 'sessions',
    sentence:
      '“A reader reads from the front”: before the place with the damage, or with what a newer writer wrote, it may meet a record that the words forbid there, and refuses the log as damaged.',
  },
  'a payload that contradicts itself': {
    subject: 'calls',
    sentence:
      '“`complete`: one whole response of any status, its bytes an artifact” (`attempt.observed`), an answer is a text, “with `served` it may hold the response”: what a shape cannot say the runtime takes for damage, and the judge finds it by the evidence (G12, G21, G27), which is not asked here.',
  },
  'a row of an unknown type': {
    subject: 'calls',
    sentence:
      '“Everything else unknown refuses” (DESIGN, 4): the runtime calls the ledger a newer writer’s; to the judge, who has one plan and one schema, the row has the shape of no event (G8).',
  },
} as const;

export type Freedom = keyof typeof freedoms;
