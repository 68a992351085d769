/** Names for the parts of a plan, taken from the contract. */
import type { Plan } from '../contract/types.js';

export type { Plan };
export type PlannedCase = Plan['cases'][number];
export type PlannedArm = PlannedCase['arms'][number];
export type Kill = PlannedCase['kill'];
export type ActingRole = PlannedArm['role'];

/** The snapshot that every case begins with; no arm may take its name. */
export const producer = 'producer';
