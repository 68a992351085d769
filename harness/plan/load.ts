/**
 * Bytes of a plan file → a valid plan, or one refusal that lists every mistake. Pure: reading the file is the caller's.
 */
import type { Subject } from '../contract/types.js';
import { HarnessError } from '../errors.js';
import { mistakesOf } from './check.js';
import { odditiesIn } from './names.js';
import type { Plan } from './types.js';

export function parsePlan(bytes: Uint8Array, name: string, subjects: readonly Subject[]): Plan {
  const { text, value } = parsed(bytes, name);
  const oddities = odditiesIn(text);
  // What is too deep is not handed to readers that descend.
  const mistakes = oddities.some(({ pointer }) => pointer === '') ? oddities : [...oddities, ...mistakesOf(value, subjects)];
  if (mistakes.length > 0) {
    const count = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`;
    const items = mistakes.map(({ pointer, sentence }) => `${pointer === '' ? '/' : pointer} ${sentence}`);
    throw new HarnessError('plan-invalid', `The plan ${name} has ${count}.`, { items });
  }
  return value as Plan;
}

function parsed(bytes: Uint8Array, name: string): { text: string; value: unknown } {
  const refuse = (why: string, cause?: unknown): never => {
    throw new HarnessError('plan-invalid', `The plan ${name} is not JSON in UTF-8: ${why}`, { cause });
  };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.startsWith('\uFEFF')) return refuse('it begins with a byte order mark, which JSON does not have.');
    return { text, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    return refuse((error as Error).message, error);
  }
}

/** The cases to run, in plan order; all of them where none is named. */
export function selectCases(plan: Plan, wanted: readonly string[]): Plan['cases'] {
  const unknown = wanted.filter((id) => !plan.cases.some((planned) => planned.id === id));
  if (unknown.length > 0) {
    throw new HarnessError('usage', `The plan ${plan.id} has no case ${unknown.map((id) => `"${id}"`).join(', ')}.`, {
      items: plan.cases.map(({ id }) => id),
    });
  }
  return wanted.length === 0 ? plan.cases : plan.cases.filter(({ id }) => wanted.includes(id));
}
