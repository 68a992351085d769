/**
 * Small plans over the installed subject `sessions`: what the tests of whole runs of sessions share.
 */
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Kill, Plan, PlannedArm, PlannedCase } from '../plan/types.js';
import { allPids, isLiving, processFacts } from '../process/proc.js';

type Scenario = Plan['scenarios'][string];
type Script = Plan['providers'][string];

export const charge = toolNamed('charge', { kind: 'http', effect: 'charge', argv: null });
/** The tool program of the subject, and then nothing more: it ends only when it is ended. */
const endless = 'node tools/effect.js mail; exec sleep 600';
export const endlessMail = toolNamed('mail', { kind: 'command', effect: null, argv: ['sh', '-c', endless], timeout_ms: 4000 });

function toolNamed(name: string, how: object): object {
  const shared = { description: '', arguments: [], safety: 'side_effect', approval: 'never', on_unknown: 'interrupt' };
  return { name, ...shared, timeout_ms: 20_000, ...how };
}

export function sessionScenario(tools: object[], more: object = {}): Scenario {
  const session = { session_id: 's-1', model: 'synthetic-1', system: 'You help.', tools, batch: 'sequential', max_steps: 6 };
  const model = { model_leg: 'rerun', model_attempts: 1, model_timeout_ms: 20_000, times: false };
  const script = [{ do: 'send', run_id: 'run-1', text: 'Charge it.' }];
  return { commit: 'each', session: { ...session, ...model, ...more }, script };
}

/** A model that asks for one charge, unless it is told of nothing, and then says that it is done; and the charge. */
export const chargingModel: RequestListener = (request, response) => {
  void text(request).then((body) => {
    if (request.url !== '/v1/chat/completions') return response.end('charged');
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
    const last = messages.at(-1);
    const call = { id: 'call-1', type: 'function', function: { name: 'charge', arguments: '{ }' } };
    const asks = last?.role === 'user' && !last.content.endsWith('nothing');
    const message = asks ? { content: null, tool_calls: [call] } : { content: 'Done.' };
    return response.end(JSON.stringify({ choices: [{ finish_reason: asks ? 'tool_calls' : 'stop', message }] }));
  });
};

/** A model that asks for calls of these tools, and then for nothing more; of those that are named, the first request is held. */
export function asksFor(names: string[], held: string[] = []): Script {
  const calls = names.map((name, index) => ({ id: `call-${index + 1}`, name, arguments: '{}' })) as [never, ...never[]];
  const hold = { do: 'hold' as const, effect: 'committed' as const };
  const done = { do: 'answer' as const, text: 'done' };
  return {
    key: 'ignore',
    strict: true,
    requests: [{ do: 'answer', tool_calls: calls }],
    otherwise: { do: 'answer', text: 'Done.' },
    effects: Object.fromEntries(names.map((name) => [name, { requests: held.includes(name) ? [hold] : [], otherwise: done }])),
  };
}

export const says: Script = { key: 'ignore', strict: true, requests: [], otherwise: { do: 'answer', text: 'Done.' } };

const expectation = (ended: PlannedArm['expect']['ended'], outcome: PlannedArm['expect']['outcome']): PlannedArm['expect'] => ({
  ended,
  events: 0,
  receipts: 0,
  effects: 0,
  outcome,
});

export function sessionArm(id: string, more: Partial<PlannedArm> = {}): PlannedArm {
  const several = more.crash !== undefined && more.crash.model !== 'crash-in-recovery';
  const ended = several ? 'several' : 'completed';
  return { id, role: 'resume', provider: 'says', expect: expectation(ended, 'completed_once'), ...more };
}

export function sessionCase(id: string, kill: Kill, arms: PlannedArm[] = [], more: Partial<PlannedCase> = {}): PlannedCase {
  const expect = expectation(kill === null ? 'completed' : 'killed', kill === null ? 'completed_once' : 'undecided');
  return { id, title: `A session, ${id}.`, scenario: 'http', provider: 'asks', kill, expect, arms, ...more };
}

/** The tools of a plan are told from those of a session that a test works on beside it. */
export const plannedSession = 's-plan';
const planned = { session_id: plannedSession };

/** What is figured out of it is not predicted: these plans are for what the harness records. */
export function sessionPlan(cases: PlannedCase[]): Plan {
  const naive: PlannedArm = { ...sessionArm('naive'), role: 'restart', expect: expectation('completed', 'duplicated') };
  return {
    version: 'plan/v1',
    id: 'session-plan',
    title: 'Sessions',
    question: 'Does the harness see what happened?',
    subject: 'sessions',
    model: 'sessions/v1',
    timeouts: { checkpoint_ms: 20_000, role_ms: 20_000 },
    scenarios: {
      http: sessionScenario([charge], planned),
      command: sessionScenario([endlessMail], planned),
      parallel: sessionScenario([charge, endlessMail], { ...planned, batch: 'parallel' }),
    },
    providers: {
      asks: asksFor(['charge']),
      asksBoth: asksFor(['charge', 'mail']),
      holdsCharge: asksFor(['charge'], ['charge']),
      holdsMail: asksFor(['mail'], ['mail']),
      holdsBoth: asksFor(['charge', 'mail'], ['charge', 'mail']),
      says,
    },
    controls: { no_kill: ['no-kill'], naive_restart: [{ case: 'held', arm: 'naive' }] },
    cases: [sessionCase('no-kill', null), sessionCase('held', { at: 'held' }, [naive], { provider: 'holdsCharge' }), ...cases],
    stopping_rule: 'Every case runs once.',
    exclusions: 'A void case makes the verdict unknown.',
  };
}

/** Tools of a session that live, of whomever: by the key that only they are given. */
export function livingTools(session: string): number[] {
  const key = `\0KILLPOINT_TOOL_KEY=${session}/`;
  return allPids().filter((pid) => isLiving(processFacts(pid)) && environmentOf(pid).includes(key));
}

function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
  } catch {
    return '';
  }
}
