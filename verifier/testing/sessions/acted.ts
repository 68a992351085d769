/** What one process of a snapshot did, as a harness would have seen it. */
import type { Answer, Process } from '../../contract/types.js';
import type { MemberRan, Ran } from './ran.js';

export type Moment = Process['timeline'][number]['what'];

export interface Acted {
  readonly folder: string;
  readonly pid: number;
  readonly armed: string | null;
  readonly timeline: readonly (readonly [what: Moment, after: number])[];
  readonly operation: Ran['operation'] | undefined;
  readonly input: Ran['input'] | undefined;
  readonly refusal: MemberRan['refusal'] | undefined;
  /** Null where it was killed. */
  readonly status: Answer['status'] | null;
}
