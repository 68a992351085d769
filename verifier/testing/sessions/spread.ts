/**
 * A case of the small sessions with two calls at once: an owner is stopped after the first result, while the other request arrives, and another
 * process cancels the run in a folder that was restored.
 */
import { canonical } from '../../read/canonical.js';
import { at } from '../ran.js';
import { SessionBook } from './book.js';
import { figures, run, type Story } from './ran.js';
import { asking, charge } from './scenario.js';
import { batchOf, done } from './shapes.js';
import { replayed, resumes, sent } from './steps.js';

const calls = [charge, { ...charge, id: 'call-2' }];

export function spread(): Story {
  const book = sent(new SessionBook('parallel'));
  const step = book.step();
  book.answered(step, asking(...calls));
  const keys = calls.map(({ id }) => `s-1/run-a/${batchOf(step)}/${id}`);
  const away = book.continued(6000);
  away.barrier(away.resume({ replayed: replayed(1, 1, 0), redone: keys, indeterminate: [] }));
  away.plan(step, calls);
  away.barrier(away.result(step, charge, 'completed'));
  const stands = book.continued(6100);
  const body = canonical({ arguments: charge.arguments, tool: 'charge' });
  for (const key of keys)
    stands.provider.serve({ path: '/effects/charge', key, body, effect: 'charge', response: done, pid: 6000 });
  stands.cancel('now');
  const stop = { checkpoint: 'tool_result', occurrence: 1 };
  return {
    producer: {
      ...{ book, role: 'produce', provider: 'pair', kill: at('model_step_finished') },
      expect: { ...figures('killed', 'undecided', book), ...run('tools_due', 'run_tools') },
    },
    restored: {
      ...{ book: stands, ...resumes, provider: 'answers' },
      crash: { model: 'zombie', stop, defeat: 'folder-restored', other: { operation: 'cancel', input: { at: 'now' } } },
      members: [
        { id: 'owner', pid: 6000, failed: true, movedAway: away },
        { id: 'other', pid: 6100 },
      ],
      expect: {
        ...{ ...figures('several', 'lost', stands), ...run('cancelling', 'close_out') },
        members: { completed: 1, failed: 1, refused: 0 },
      },
    },
  };
}
