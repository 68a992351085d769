/**
 * Which of the sites are broken: of each class (operator, document, field) places that differ in what they are first, up to a bound, in an
 * order that a seed decides. A sample is a beginning of that order.
 */
import type { Site } from './operator.js';

export interface Choice {
  readonly seed: string;
  /** How many places of one class. */
  readonly bound: number;
  /** Null: all that are chosen. */
  readonly sample: number | null;
}

export function chosenOf(sites: readonly Site[], { seed, bound, sample }: Choice): Site[] {
  const classes = new Map<string, Site[]>();
  for (const site of shuffled(sites, seed, ({ place, operator, field }) => `${operator}\n${field}\n${place}`)) {
    const list = classes.get(classOf(site));
    if (list === undefined) classes.set(classOf(site), [site]);
    else list.push(site);
  }
  const chosen = [...classes.values()].flatMap((list) => differentFirst(list).slice(0, bound));
  const ordered = shuffled(chosen, seed, (site) => `${classOf(site)}\n${site.place}`);
  return sample === null ? ordered : ordered.slice(0, sample);
}

export function classOf({ operator, document, field }: Pick<Site, 'operator' | 'document' | 'field'>): string {
  return `${document} ${field}: ${operator}`;
}

/** One place of each kind, then a second of each, and so on. */
function differentFirst(list: readonly Site[]): Site[] {
  const ofKind = new Map<string, number>();
  const ranked = list.map((site) => {
    const kind = site.traits.join(' ');
    const rank = ofKind.get(kind) ?? 0;
    ofKind.set(kind, rank + 1);
    return { site, rank };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ site }) => site);
}

export function shuffled<T>(list: readonly T[], seed: string, nameOf: (one: T) => string): T[] {
  const keyed = list.map((one) => ({ one, key: scattered(`${seed}\n${nameOf(one)}`) }));
  return keyed.sort((left, right) => left.key - right.key).map(({ one }) => one);
}

/** FNV-1a, 32 bits: what only has to look random, tens of thousands of times. */
function scattered(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
