/**
 * The reader of plans. What it takes can be written out as snapshots, of which no two of a case have one name and none begins
 * from one that does not come before it; it is the same plan when it is written again without spaces; and a naive reading of the
 * text finds no name said twice in one object, no number that is no integer and no half of a character.
 */
import { readPlan } from '../../../verifier/read/plan-file.js';
import { snapshotsOf } from '../../../verifier/read/plan.js';
import { bounded, demand, readOrRefused } from './expect.js';

export function fuzz(input: Buffer): void {
  bounded(() => {
    const plan = readOrRefused(() => readPlan(input));
    if (plan === undefined) return;
    for (const planned of plan.cases) {
      const earlier = new Set<string>();
      for (const { id, from } of snapshotsOf(planned)) {
        demand(!earlier.has(id), 'Two snapshots of a case have one name.');
        demand(from === null || earlier.has(from), 'A snapshot begins from one that does not come before it.');
        earlier.add(id);
      }
    }
    demandOneReading(input.toString('utf8'), plan);
    const again = JSON.stringify(readPlan(Buffer.from(JSON.stringify(plan))));
    demand(again === JSON.stringify(plan), 'A plan is read otherwise when it is written again.');
  });
}

/** Once its strings are gone, each colon of a text is a member; where one was said twice, the value has fewer. */
function demandOneReading(text: string, value: unknown): void {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  demand(bare.split(':').length - 1 === membersOf(value), 'A plan is taken that says a name twice.');
  for (const [number] of bare.matchAll(/[-+.eE\d]*\d[-+.eE\d]*/g))
    demand(/^(?:0|-?[1-9]\d*)$/.test(number), 'A plan is taken with a number that is not written as an integer.');
  const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
  JSON.stringify(value, (_name, inner: unknown) => {
    demand(typeof inner !== 'string' || !halves.test(inner), 'A plan is taken with half of a character.');
    return inner;
  });
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, inner) => sum + membersOf(inner), own);
}
