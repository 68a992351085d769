/**
 * One process of a comparison: a line with a piece of the histories, a line with what came of it. Run by `shards.ts`.
 */
import { createInterface } from 'node:readline';
import { openField, type Campaign, type Field, type Sides } from './campaign.js';
import type { Subject } from './history/drafts.js';
import type { Plain } from './counts.js';

export interface Asked {
  readonly campaign: Campaign;
  readonly sides: Sides;
}

export interface Answer {
  readonly counts: Plain;
  readonly histories: number;
  readonly disagreement: string | null;
}

const fields = new Map<Subject, Field>();

for await (const line of createInterface({ input: process.stdin })) {
  const { campaign, sides } = JSON.parse(line) as Asked;
  const field = fields.get(campaign.subject) ?? (await openField(campaign.subject, sides));
  fields.set(campaign.subject, field);
  const { counts, histories, disagreement } = await field.run(campaign);
  const answer: Answer = { counts: counts.plain(), histories, disagreement };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
for (const field of fields.values()) await field.end();
