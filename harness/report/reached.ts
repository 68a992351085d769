/**
 * What the arms of a run reached that stand for many crashes, in words: the points of each family, and the states that a power loss may leave,
 * of the producers and of those that resume. Pure.
 */
import type { PointsReached, Reached, StatesReached } from '../case/reach.js';

const kinds = { 'syscall-kill': 'kills before', 'io-fault': 'faults of' } as const;
const roles = ['producer', 'resume'] as const;

/** None where the plan has no such arm. */
export function reachedRows(reached: readonly Reached[]): [name: string, value: string][] {
  const points = reached.filter((one): one is PointsReached => one.model !== 'power-loss');
  const states = reached.filter((one): one is StatesReached => one.model === 'power-loss');
  return roles.flatMap((role) => {
    const isOf = (one: Reached): boolean => one.role === role;
    return [...pointRows(points.filter(isOf), role), ...stateRows(states.filter(isOf), role)];
  });
}

function pointRows(points: readonly PointsReached[], role: string): [string, string][] {
  return Object.entries(kinds).flatMap(([model, kind]): [string, string][] => {
    const ofKind = points.filter((one) => one.model === model);
    const families = [...new Set(ofKind.map(({ family }) => family))].map((family) => {
      const all = ofKind.filter((one) => one.family === family);
      return `${sum(all, 'tried')} of ${sum(all, 'found')} ${family}`;
    });
    return families.length === 0 ? [] : [[role, `${kind} ${families.join(', ')}`]];
  });
}

/** Recovered is what was opened, or refused by name. */
function stateRows(states: readonly StatesReached[], role: string): [string, string][] {
  if (states.length === 0) return [];
  const of = (name: NumberOf<StatesReached>): number => sum(states, name);
  const leftOut = of('left_out') === 0 ? '' : ` (${of('left_out')} left out by the seed)`;
  const distinct =
    of('examined') === of('distinct') ? `${of('distinct')} distinct` : `${of('examined')} of ${of('distinct')} distinct`;
  const text = [
    `power lost at ${of('cuts')} cuts${leftOut} of ${of('operations')} operations`,
    `${of('derived')} states`,
    `${distinct}`,
    `${of('opened') + of('refused')} recovered (${of('refused')} refused)`,
    `${of('carried_on')} carried on`,
  ];
  return [[role, text.join(', ')]];
}

type NumberOf<T> = { [K in keyof T]: T[K] extends number ? K : never }[keyof T];

function sum<T>(all: readonly T[], name: NumberOf<T>): number {
  return all.reduce((total, one) => total + Number(one[name]), 0);
}
