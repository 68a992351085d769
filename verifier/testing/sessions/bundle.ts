/** A whole bundle of sessions in memory, small and good; made from the contract alone. */
import type { Plan } from '../../contract/types.js';
import type { Tree } from '../../read/tree.js';
import { assembled, chosen } from '../bundle.js';
import type { Ran, Story } from './ran.js';
import { scenarios, scripts } from './scenario.js';
import { writeSnapshot } from './snapshot.js';
import { stories } from './stories.js';

const programs = ['inspect', 'produce', 'restart', 'resume'].map((role) => `runtime/subjects/sessions/${role}.js`);

let whole: Tree | undefined;

/** All cases, or those that are named. The whole one is made once, as that of calls. */
export function goodSessions(only?: readonly string[]): Tree {
  if (only !== undefined) return made(only);
  whole ??= made();
  return whole;
}

function made(only?: readonly string[]): Tree {
  const told = chosen(stories(), only);
  return assembled(planOf(told), programs, (files, folder, caseId, id) => {
    const ran = told[caseId]?.[id];
    if (ran !== undefined) writeSnapshot(files, folder, ran);
  });
}

function planOf(told: Record<string, Story>): Plan {
  return {
    version: 'plan/v1',
    ...{ id: 'small-sessions', title: 'Small', question: 'Does it hold?', subject: 'runtime-sessions', model: 'sessions/v1' },
    timeouts: { checkpoint_ms: 1000, role_ms: 1000 },
    ...{ scenarios, providers: scripts, stopping_rule: 'Once.', exclusions: 'None.' },
    controls: { no_kill: ['control'], naive_restart: [{ case: 'held', arm: 'naive' }] },
    cases: Object.entries(told).map(([id, story]) => caseOf(id, story)),
  };
}

type PlannedCase = Plan['cases'][number];

function caseOf(id: string, { producer, ...arms }: Story): PlannedCase {
  if (producer === undefined) throw new Error('A story begins with its producer.');
  const { book, kill, provider = 'charges', expect } = producer;
  return {
    ...{ id, title: `The case ${id}.`, scenario: book.scenario, provider, kill },
    expect: expect as PlannedCase['expect'],
    arms: Object.entries(arms).map(([arm, ran]) => armOf(arm, ran)),
  };
}

function armOf(
  id: string,
  { role, scenario, provider = 'charges', from, operation, input, kill, crash, expect }: Ran,
): PlannedCase['arms'][number] {
  return {
    ...{ id, role, provider, expect: expect as PlannedCase['expect'] },
    ...(kill === null ? {} : { kill }),
    ...(scenario === undefined ? {} : { scenario }),
    ...(from === undefined ? {} : { from }),
    ...(operation === undefined ? {} : { operation }),
    ...(input === undefined ? {} : { input }),
    ...(crash === undefined ? {} : { crash }),
  };
}
