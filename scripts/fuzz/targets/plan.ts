/**
 * The reader of plans. What it takes can be written out as snapshots, of which no two of a case have one name and none begins from one that does not come
 * before it; and it is the same plan when it is written again without spaces.
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
    const again = JSON.stringify(readPlan(Buffer.from(JSON.stringify(plan))));
    demand(again === JSON.stringify(plan), 'A plan is read otherwise when it is written again.');
  });
}
