/**
 * An arm under power loss → the snapshots that it stands for beside itself: what carries on from each state that the subject opened as something
 * new, and from one that was never made. Pure; which states they are is found in the trace and in what the subject said of them.
 */
import type { PlannedSnapshot, PowerLoss } from './plan.js';

/** A state that no folder of the bundle holds. */
export interface Beginning {
  /** What the snapshot that carries on is called behind the name of the arm. */
  readonly name: string;
  /** Its number among the distinct states. */
  readonly state: number;
  /** Where the state occurs with these receipts, for the first time. */
  readonly cut: number;
  /** How many of the arm's receipt lines there were. */
  readonly lines: number;
  /** It had its format record. */
  readonly isMade: boolean;
}

/** Of each the plan allows several outcomes, and predicts nothing else. */
export function carriedOn(arm: PlannedSnapshot, crash: PowerLoss, beginnings: readonly Beginning[]): PlannedSnapshot[] {
  const { carry_on: carryOn, outcomes } = crash;
  return beginnings.map((begins) => {
    const isProducer = !begins.isMade || (arm.role === 'produce' && carryOn === 'produce');
    const [role, operation] = ((): [PlannedSnapshot['role'], PlannedSnapshot['operation']] => {
      if (isProducer) return ['produce', null];
      return arm.role === 'resume' ? ['resume', arm.operation] : ['resume', carryOn === 'recover' ? 'recover' : null];
    })();
    return {
      ...{ ...arm, id: `${arm.id}-${begins.name}`, from: arm.id, role, operation, powerLoss: { arm: arm.id, crash, begins } },
      ...{ expect: { outcomes }, input: isProducer ? null : arm.input },
    };
  });
}

/** The arm as the power loss left it: its process was stopped before it did more. */
export function asLeft(arm: PlannedSnapshot, begins: Beginning): PlannedSnapshot {
  const { powerLoss } = arm;
  return {
    ...{ ...arm, kill: { at: 'call', name: 'power-loss', nth: begins.state }, expect: {} },
    powerLoss: powerLoss && { ...powerLoss, begins },
  };
}
