/**
 * A plan that may lack anything: what the checks of meaning read, so that a mistake of shape hides no other mistake.
 */
import type { Plan } from './types.js';

export type Loose<T> = T extends readonly (infer Item)[]
  ? (Loose<Item> | undefined)[]
  : T extends object
    ? { [Key in keyof T]?: Loose<T[Key]> }
    : T;
export type LoosePlan = Loose<Plan>;
export type LooseCase = Loose<Plan['cases'][number]>;
export type LooseArm = Loose<Plan['cases'][number]['arms'][number]>;

export interface Mistake {
  pointer: string;
  sentence: string;
}

export function arrayOf<T>(value: readonly T[] | undefined): T[] {
  return Array.isArray(value) ? [...(value as T[])] : [];
}

export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
