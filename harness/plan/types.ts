/** Names for the parts of a plan, taken from the contract, and for what a plan asks of a run. */
import type { Plan } from '../contract/types.js';

export type { Plan };
export type PlannedCase = Plan['cases'][number];
export type PlannedArm = PlannedCase['arms'][number];
export type Kill = PlannedCase['kill'];
/** Where a process is parked: at a checkpoint of its own, or while the provider holds its request. */
export type Place = NonNullable<Kill>;
export type ActingRole = PlannedArm['role'];
export type Operation = NonNullable<PlannedArm['operation']>;
export type Input = NonNullable<PlannedArm['input']>;

type Crash = NonNullable<PlannedArm['crash']>;
export type Race = Extract<Crash, { model: 'race' }>;
export type Zombie = Extract<Crash, { model: 'zombie' }>;
export type SyscallKill = Extract<Crash, { model: 'syscall-kill' }>;
export type PowerLoss = Extract<Crash, { model: 'power-loss' }>;
export type IoFault = Extract<Crash, { model: 'io-fault' }>;
/** Stands for a snapshot at each call of a family that its own run made, and for what carries on from it. */
export type Ratchet = SyscallKill | IoFault;
export type CrashInRecovery = Extract<Crash, { model: 'crash-in-recovery' }>;

/** What a tracer does to the role of a snapshot. */
export interface Traced {
  /** `persistence`: all that decides what a power loss may leave. */
  readonly family: SyscallKill['family'] | 'persistence';
  /** Armed before the nth call of this name; null where it only watches. */
  readonly call: { readonly name: string; readonly nth: number } | null;
  /** The files whose calls count, below the state folder; empty where it only watches. */
  readonly paths: readonly string[];
  /** With what the call fails, and whether every later one of its name does; null where the role is killed before it. */
  readonly fault: Pick<IoFault, 'error' | 'lasting'> | null;
  /** The call is there, and what is armed before it is done. */
  readonly reached: boolean;
}

/** The snapshot that every case begins with; no arm may take its name. */
export const producer = 'producer';

/** One snapshot that the plan asks for: the producer's, an arm's, or one of those that an arm stands for. */
export interface PlannedSnapshot {
  readonly caseId: string;
  readonly snapshot: string;
  readonly role: ActingRole;
  readonly kill: Kill;
  /** What is done in the place of a kill; where it is given, `kill` is null. */
  readonly crash: Race | Zombie | null;
  /** Runs under a tracer; then `kill` and `crash` are null. */
  readonly traced: Traced | null;
  /** What it stands for besides itself, where that is found by running it. */
  readonly ratchet: Ratchet | null;
  /** Stands for what carries on from the states that its trace may leave. */
  readonly powerLoss: PowerLoss | null;
  /** What the role is told to carry out; null where it is told nothing. */
  readonly operation: Operation | null;
  readonly input: Input | null;
  readonly scenario: string;
  readonly provider: string;
  /** The snapshot whose copy it begins with; null for the producer. */
  readonly from: string | null;
  /** It begins with a state that a power loss may have left, and with that many lines of the receipts of `from`; null elsewhere. */
  readonly receipts: number | null;
}
