/** Opens the session of a role as its scenario says, with the parking places in front of it and in its commit listener. */
import { dirname } from 'node:path';
import type { SessionConfig, SessionOptions } from '../../sessions/api/options.js';
import { openSession, type Session } from '../../sessions/api/session.js';
import type { Frame } from '../../sessions/core/records.js';
import type { RoleContext } from '../kit/role.js';
import type { Scenario, SessionSettings } from './scenario.js';
import { settings } from './subject.js';

export interface Opened {
  session: Session;
  /** Barriers that this process made durable. */
  commits: () => number;
}

export interface OpenOptions {
  /** Null: the settings on record. */
  scenario: Scenario | null;
  create?: boolean;
  /** After the parking: nothing of it happens where the process is killed at the place. */
  onCommitted?: (frames: readonly Frame[]) => void;
}

export function open(context: RoleContext, { scenario, create = false, onCommitted }: OpenOptions): Opened {
  const { environment } = context;
  let commits = 0;
  const session = openSession(environment.state, {
    create,
    providerUrl: environment.providerUrl,
    toolEnvironment: toolEnvironment(context),
    ...(scenario !== null && optionsOf(scenario)),
    onCommitted: (frames) => {
      commits += 1;
      pass(context, frames);
      onCommitted?.(frames);
    },
  });
  context.using(settings);
  return { session, commits: () => commits };
}

/** Marks whoever a role has started, so that a harness can end a program that left its role's group. */
export function toolEnvironment({ environment: { nonce } }: RoleContext): Record<string, string> {
  return nonce === '' ? {} : { KILLPOINT_NONCE: nonce };
}

export function pass({ parking }: RoleContext, frames: readonly Frame[]): void {
  parking.passed(['commit', ...frames.map(({ type }) => type)]);
}

/** "node" in the argv of a tool means the Node that runs the role, as it does in the commands of a subject. */
export function findOwnNode(): void {
  process.env['PATH'] = [dirname(process.execPath), process.env['PATH']].filter((folder) => folder !== undefined).join(':');
}

function optionsOf({ commit, session }: Scenario): SessionOptions {
  const { session_id: sessionId, ceiling_bytes: ceilingBytes = null } = session;
  return { commit, sessionId, ceilingBytes, config: configOf(session) };
}

function configOf(session: SessionSettings): SessionConfig {
  return {
    model: session.model,
    system: session.system,
    tools: session.tools.map(({ on_unknown: onUnknown, timeout_ms: timeoutMs, ...tool }) => ({ ...tool, onUnknown, timeoutMs })),
    batch: session.batch,
    maxSteps: session.max_steps,
    modelLeg: session.model_leg,
    modelAttempts: session.model_attempts,
    modelTimeoutMs: session.model_timeout_ms,
    times: session.times,
    ...(session.render_version !== undefined && { renderVersion: session.render_version }),
    ...(session.freeze !== undefined && { freeze: session.freeze }),
  };
}
