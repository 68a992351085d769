/** What is offered to a compilation, checked before its inventory is taken: a caller's types may not have been. */
import type { OfferedItem } from '../core/compile.js';
import { demand, demandMembers, type Members } from '../../core/demands.js';

export interface OfferedContext {
  items: readonly OfferedItem[];
  requiredIds: readonly string[];
}

const itemMembers = Object.keys({
  id: true,
  kind: true,
  required: true,
  content: true,
  lineage: true,
  tokens: true,
} satisfies Members<OfferedItem>);

export function demandOffered(context: OfferedContext): void {
  demandMembers('The context', context, ['items', 'requiredIds'], 'context.');
  const { items, requiredIds }: Partial<OfferedContext> = context;
  demand(Array.isArray(items) && Array.isArray(requiredIds), 'A context is a list of items and a list of required ids.');
  demand(
    requiredIds.every((id) => typeof id === 'string'),
    'The required ids are texts.',
  );
  for (const item of items as readonly (OfferedItem | null)[]) {
    demand(typeof item === 'object' && item !== null && typeof item.id === 'string', 'An item is an object with an id.');
    demandMembers(`The item ${item.id}`, item, itemMembers, 'item.');
    demandItem(item);
  }
}

/** Of what the shape of the recorded inventory cannot say. */
function demandItem({ id, content, lineage, tokens }: OfferedItem): void {
  demand(typeof content === 'string' && content.isWellFormed(), `The content of ${id} is not well-formed Unicode text.`);
  demand(Array.isArray(lineage), `The lineage of ${id} is not a list.`);
  const isCount = Number.isSafeInteger(tokens) && (tokens as number) >= 0;
  demand(tokens === undefined || isCount, `The tokens of ${id} are not a count.`);
}
