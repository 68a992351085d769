/**
 * A person's way on: for every stage that a record can be in there is a printed command, it parses, and its dry run says what it would do.
 * Real state folders, the real roles.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkState } from '../contract/types.js';
import { commandsFor, type variables } from '../report/next-commands.js';
import { checkout, documentOf, keptProjection, lastSeq, Person } from '../testing/person.js';

const person = new Person();
beforeAll(() => void person.installation);
afterAll(() => person.remove());

/** What a person brings to a printed line. */
function broughtBy(state: WorkState): Record<keyof typeof variables, string> {
  const brought = (name: string, content: unknown): string => {
    const path = join(person.folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const offered = { id: 'A', kind: 'record', required: true, content: 'A short text.', lineage: ['draft-1'] };
  return {
    PROVIDER_URL: 'http://127.0.0.1:9',
    INPUTS_FILE: state.task.on?.startsWith('call')
      ? brought('call-inputs.json', { instruction: 'Shorter.' })
      : brought('context-inputs.json', { items: [offered], required_ids: ['A'] }),
    RESPONSE_FILE: brought('response.json', '{}'),
    FINDING: 'unknown',
    WHY: 'it was seen on the invoice',
  };
}

describe('for every stage there is a way on', () => {
  const unknown = (...finding: string[]) => ['reconcile', '--note', 'asked by telephone', '--finding', ...finding];
  type Origin = string | { checkpoint: string; scenario: string };
  /** How a record comes to be at the stage: a kept case or a producer, and what a person did to it. */
  const stages: [string, Origin, string[]?][] = [
    ['requested', { checkpoint: 'call.requested', scenario: 'review' }],
    ['manifest_recorded', 'manifest-resumed'],
    ['effect_unknown', 'effect-unknown'],
    ['not_sent', { checkpoint: 'attempt.observed', scenario: 'review' }],
    ['observed', 'observed'],
    ['interpreted', 'attempt-interpreted'],
    ['retry_due', 'retry-due'],
    ['undecided_end', 'result-recorded'],
    ['completed', 'call-completed'],
    ['preparation_failed', { checkpoint: 'call.preparation_failed', scenario: 'too-large' }],
    ['compilation requested', 'compilation-interrupted'],
    ['compilation failed', 'compilation-failed'],
    ['operator_needed', 'effect-unknown', unknown('unknown')],
    ['response_lost', 'effect-unknown', unknown('served')],
    ['not_served', 'effect-unknown', unknown('not_served')],
    ['retry_safe', 'honoured-restart', unknown('unknown')],
  ];

  const walk = async (stage: string, state: string, before: WorkState): Promise<void> => {
    const last = before.calls.findLast((call) => call.stage !== 'superseded');
    expect(last?.stage ?? `compilation ${before.compilations.at(-1)?.stage}`).toBe(stage);
    const brought = broughtBy(before);
    const commands = commandsFor(before);
    expect(commands).not.toEqual([]);
    // A decision has the same choices wherever it is needed; they are walked once.
    if (stage === 'response_lost') commands.splice(1);
    for (const { name, args } of commands) {
      const words = args.map((word) => brought[word.slice(1) as keyof typeof brought] ?? word);
      const dry = await person.killpoint(name, state, ...words, '--dry-run', '--json');
      expect([dry.code, dry.stderr, name, words]).toEqual([0, '', name, words]);
      const { status, operations, would } = documentOf(dry);
      expect({ status, operations }).toEqual({ status: 'completed', operations: [] });
      expect((would?.appends.length ?? 0) + (would?.sends.length ?? 0)).toBeGreaterThan(0);
      expect(would?.sends.length).toBe(args.includes('--provider') ? 1 : 0);
    }
    expect(lastSeq(state)).toBe(before.last_seq);
  };

  it.concurrent.each(stages)('%s', async (stage, origin, first) => {
    const state = typeof origin === 'string' ? person.stateOf(origin) : await person.killedAt(origin.checkpoint, origin.scenario);
    if (first !== undefined) {
      const [command = '', ...more] = first;
      expect((await person.killpoint(command, state, ...more)).stderr).toBe('');
    }
    await walk(
      stage,
      state,
      typeof origin === 'string' && first === undefined ? keptProjection(origin) : await person.projected(state),
    );
  });

  it('duplicate_accepted', async () => {
    const state = person.stateOf('effect-unknown');
    await person.killpoint('reconcile', state, '--finding', 'unknown', '--note', 'nobody can tell');
    const accepted = await person.killpoint(
      'accept',
      state,
      'call-6',
      '--duplicate',
      '--by',
      'operator',
      '--note',
      'worth it',
      '--json',
    );
    expect([accepted.code, documentOf(accepted).operations]).toEqual([0, ['accept_duplicate']]);
    await walk('duplicate_accepted', state, await person.projected(state));
  });

  it('and no stage of the contract is left out', () => {
    const common = JSON.parse(readFileSync(join(checkout, 'evidence', 'schema', 'common.schema.json'), 'utf8')) as {
      $defs: { stage: { enum: string[] } };
    };
    const walked = new Set([...stages.map(([stage]) => stage), 'duplicate_accepted', 'superseded']);
    expect(common.$defs.stage.enum.filter((stage) => !walked.has(stage))).toEqual([]);
  });
});
