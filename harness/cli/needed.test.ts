import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addDoctor } from './doctor.js';
import { tellWhatIsNeeded } from './needed.js';
import { addOperationCommands } from './operations.js';
import { addReduce, addReplay } from './replay.js';
import { addRun } from './run.js';

async function said(...words: string[]): Promise<string> {
  let text = '';
  const root = new Command('killpoint').exitOverride().configureOutput({ writeErr: (part) => void (text += part) });
  for (const add of [addRun, addReplay, addReduce, addDoctor]) add(root, () => undefined);
  addOperationCommands(root, () => Promise.resolve());
  tellWhatIsNeeded(root);
  await expect(root.parseAsync(words, { from: 'user' })).rejects.toThrow(/^error: /);
  return text;
}

it.each([
  [['run'], "error: missing required argument 'plan'", 'killpoint run <plan>'],
  [
    ['reduce', '/none'],
    "error: required option '--case <id>' not specified",
    'killpoint reduce <bundle> --case <id> --state <number>',
  ],
  [['replay'], "error: required option '--case <id>' not specified", 'killpoint replay <bundle> --case <id> --state <number>'],
  [
    ['fix-inputs', '/none'],
    "error: required option '--inputs <file>' not specified",
    'killpoint fix-inputs <state-dir> --inputs <file>',
  ],
  [['approve', '/none'], "error: missing required argument 'tool_call_id'", 'killpoint approve <state-dir> <tool_call_id>'],
])('%j is told what it lacks, and then all that is needed, at once', async (words, sentence, line) => {
  expect(await said(...words)).toBe(`${sentence}\nWrite: ${line} (--help lists what can be said besides)\n`);
});

it('a command that needs nothing is told where its words are', async () => {
  expect(await said('doctor', '--nothing')).toBe("error: unknown option '--nothing'\n(--help lists what can be said)\n");
});
