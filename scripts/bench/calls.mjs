/**
 * Makes a number of completed calls through the public API, with a transport that answers at once in this process.
 *
 * Plain JavaScript: it also runs on its own under a system call trace, where a loader's own calls would be in the way.
 * Usage: node calls.mjs <build folder> <state folder> <calls>
 */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const answer = Buffer.from(
  JSON.stringify({
    choices: [{ finish_reason: 'stop', index: 0, message: { content: 'It claims one thing.', role: 'assistant' } }],
  }),
);

export async function openForCalls(build, directory) {
  const { openRuntime } = await import(pathToFileURL(join(build, 'runtime/index.js')).href);
  const runtime = openRuntime({
    directory,
    create: true,
    provider: { url: 'http://127.0.0.1:9/none', model: 'none' },
    context: { budgetTokens: 1000 },
    transport: () => Promise.resolve({ delivery: 'complete', status: 200, contentType: 'application/json', bytes: answer }),
  });
  runtime.createTask({ taskId: 'task-1', title: 'Read a paragraph' });
  const items = [{ id: 'A', kind: 'record', required: true, content: 'One paragraph of text.', lineage: [] }];
  const { compilationId } = runtime.compile('task-1', { items, requiredIds: ['A'] });
  return { runtime, compilationId };
}

export async function makeCalls({ runtime, compilationId }, from, count) {
  for (let index = from; index < from + count; index++) {
    const wanted = { taskId: 'task-1', compilationId, idempotencyKey: `key-${index}`, instruction: `Question ${index}?` };
    const { outcome, replayed } = await runtime.call(wanted);
    if (outcome !== 'succeeded' || replayed) throw new Error(`Call ${index} was not made: ${outcome}.`);
  }
}

if (process.argv[1]?.endsWith('calls.mjs')) {
  const [build, directory, count] = process.argv.slice(2);
  const opened = await openForCalls(build, directory);
  await makeCalls(opened, 0, Number(count));
  opened.runtime.close();
}
