/**
 * What a scenario of sessions asks for: its configuration as every run must record it, and the actions of whoever acts, each with the
 * record by which it shows. A scenario may say less than it can; what it does not say is not judged. Pure.
 */
import { sameJson } from '../../read/canonical.js';
import type { SessionRecord } from '../../read/session-records.js';
import { isObject, memberOf } from '../values.js';
import type { RunConfig } from './history.js';
import { bundleText, type Rendered } from './render.js';

/** What one of the actors is told to do. */
export interface Action {
  readonly does: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Of what is done while a run goes on: the type of the record that it follows, and its number in the process. */
  readonly after: { readonly type: string; readonly occurrence: number } | null;
}

/** By script, in order, and while a run goes on. */
export function actionsIn(scenario: unknown): { readonly script: Action[]; readonly during: Action[] } {
  const listed = (name: string): Action[] => {
    const list = memberOf(scenario, name);
    return (Array.isArray(list) ? list : []).flatMap((one: unknown) => actionIn(memberOf(one, 'do'), one) ?? []);
  };
  return { script: listed('script'), during: listed('during') };
}

/** An operation of a resume and its input are an action as well. */
export function actionIn(does: unknown, members: unknown): Action | null {
  if (typeof does !== 'string' || !isObject(members)) return null;
  const [, type, occurrence] = /^(\w+)#([1-9]\d*)$/.exec(String(members.after)) ?? [];
  return { does, members, after: type === undefined ? null : { type, occurrence: Number(occurrence) } };
}

/** By which record each action shows, and which of its members stand there under which name. */
const shows: Readonly<Record<string, { type: SessionRecord['type']; members: Readonly<Record<string, readonly string[]>> }>> = {
  send: { type: 'run_started', members: { run_id: ['run_id'], text: ['input', 'text'] } },
  queue: { type: 'queued', members: { submission_id: ['submission_id'], text: ['input', 'text'], delivery: ['delivery'] } },
  retract: { type: 'retracted', members: { submission_id: ['submission_id'] } },
  approve: { type: 'approval_resolved', members: { tool_call_id: ['tool_call_id'], decision: ['decision'], by: ['by'] } },
  cancel: { type: 'run_cancel_requested', members: { at: ['at'] } },
  steer: { type: 'steered', members: { text: ['input', 'text'], send_id: ['send_id'] } },
};

/** Whether a record is what an action leaves behind. */
export function isShownBy({ does, members }: Action, { type, payload }: SessionRecord): boolean {
  const shown = Object.hasOwn(shows, does) ? shows[does] : undefined;
  if (shown?.type !== type) return false;
  return Object.entries(shown.members).every(([name, path]) => {
    const found = path.reduce<unknown>(memberOf, payload);
    // A plain delivery is the one that is not written down.
    const asked = does === 'queue' && name === 'delivery' && members[name] !== 'interrupt' ? undefined : members[name];
    return sameJson(found ?? null, asked ?? null);
  });
}

/**
 * Whether a record is why an action needs no other one: a cancel at once is all that can be asked for, and a message that is on record waits
 * for its run.
 */
export function stands(action: Action, record: SessionRecord): boolean {
  if (isShownBy(action, record)) return true;
  const { does, members } = action;
  if (does === 'cancel') return isShownBy({ ...action, members: { at: 'now' } }, record);
  if (does !== 'send' || record.type !== 'queued') return false;
  return record.payload.submission_id === members.run_id && record.payload.input.text === members.text;
}

/** Types of records that nothing but an action leaves behind. */
export const actedTypes: ReadonlySet<string> = new Set(Object.values(shows).map(({ type }) => type));

/** Whether an action leaves a record at all: a `resume` of a script goes by the record. */
export function leavesRecord({ does }: Action): boolean {
  return Object.hasOwn(shows, does);
}

const settings = [
  'model',
  'system',
  'tools',
  'batch',
  'max_steps',
  'model_leg',
  'model_attempts',
  'model_timeout_ms',
  'times',
] as const;

/** The members of a configuration that are not those of the scenario. */
export function configWrong(scenario: unknown, config: RunConfig): string[] {
  const session = memberOf(scenario, 'session');
  if (!isObject(session)) return [];
  const wrong: string[] = settings.filter((name) => session[name] !== undefined && !sameJson(session[name], config[name]));
  const version = session.render_version ?? 2;
  const rendered: Rendered = config;
  const bundle = session.freeze === false ? null : typeof version === 'number' ? bundleText(rendered, version) : null;
  const render = { name: 'chat-messages', version, bundle };
  // What no renderer makes cannot be said to be another bundle.
  const isSame =
    sameJson(config.render, render) || (bundle === null && session.freeze !== false && config.render.version === version);
  if (!isSame) wrong.push('render');
  if (config.provider.path !== '/v1/chat/completions') wrong.push('provider');
  return wrong;
}

export function sessionIdIn(scenario: unknown): string | undefined {
  const id = memberOf(memberOf(scenario, 'session'), 'session_id');
  return typeof id === 'string' ? id : undefined;
}
