/** What the refusals of the small bundle were about that found other settings than those on record: a spec's, or a manifest's. */
import { at, figures, predicted, type Refusal, type Story } from './ran.js';
import * as recover from './recoveries.js';
import { Book } from './world.js';

const resumes = { role: 'resume', kill: null } as const;

export function drifted(): Story {
  const book = new Book().open();
  book.specs = true;
  const call = book.want(book.compile());
  const refusal: Refusal = {
    ...{ call_id: call.call_id ?? null, drift: ['model'], error: 'ResumeRefused' },
    ...{ hazard: null, operation: 'start_call' },
  };
  const other = book.continued();
  const same = book.continued();
  same.resume(call, { verified: false, ...recover.markOf(same, 'start_call') });
  return {
    producer: { book, role: 'produce', kill: at('call.requested'), expect: figures('killed', 'undecided', book) },
    drift: {
      ...{ book: other, ...resumes, scenario: 'other', refusal },
      expect: { ...figures('refused', 'refused', other), refusal: predicted(refusal) },
    },
    same: { book: same, ...resumes, expect: figures('completed', 'completed_once', same) },
  };
}

/** Its manifest is on record: what would be sent today is not what the record intends. */
export function driftedLater(): Story {
  const book = new Book().open();
  book.specs = true;
  const call = book.want(book.compile());
  book.manifest(call);
  const refusal: Refusal = {
    ...{ call_id: call.call_id ?? null, drift: ['request_body'], error: 'ResumeRefused' },
    ...{ hazard: null, operation: 'start_call' },
  };
  const other = book.continued();
  return {
    producer: { book, role: 'produce', kill: at('call.manifest'), expect: figures('killed', 'undecided', book) },
    drift: {
      ...{ book: other, ...resumes, scenario: 'other', refusal },
      expect: { ...figures('refused', 'refused', other), refusal: predicted(refusal) },
    },
  };
}
