/**
 * Does one thing to a session for a person: the role does it, and the log is looked at afterwards, whatever came of it.
 *
 * Guarantee: what is said at the end is what the log says. Exit 0 done; 1 done, and the run failed, on record; 2 something that was sent may
 * have happened and nobody can know; 64 refused.
 */
import type { Answer, SessionState } from '../contract/types.js';
import { HarnessError } from '../errors.js';
import { sessionDocument, sessionDoneText } from '../report/carried-out.js';
import { sessionNextLines, stateLine, wayOnOfSession } from '../report/way-on.js';
import { answerOf, argumentsIn } from '../report/session-words.js';
import { type Acting, brokenOff, lookAt, roleRequest, type Said } from './acting.js';
import { runRole } from './role.js';
import { type InspectedSession, sessionOf } from './state-folder.js';

/** What can send a request; elsewhere an effect that was unknown before is no news. */
const sends = new Set(['', 'recover', 'send']);

export async function carryOutOnSession(acting: Acting): Promise<Said> {
  demandNoCallsOptions(acting);
  const { options, place, state, operation } = acting;
  const canSend = sends.has(operation);
  const { answer, ...end } = await runRole(roleRequest(acting));
  const looked = await lookAt(() => sessionOf(state));
  const { session, log } = looked.found ?? {};
  const next = session === undefined ? null : wayOnOfSession(session, argumentsIn(session, log ?? null), place);
  const unknown = session === undefined ? null : isUnknown(session);
  if (answer === null)
    throw brokenOff(acting, end, { unknown, wayOn: next === null ? [] : sessionNextLines(next, place), canSend });
  const effectUnknown = unknown === true && canSend && answer.status !== 'refused';
  const said = canSend && answer.status === 'completed' && session !== undefined ? saidIn(session, log ?? null, acting) : null;
  const done = { answer, next, hint: hintFor(answer, looked.why), said, effectUnknown };
  const text = options.json ? `${JSON.stringify(sessionDocument(done))}\n` : sessionDoneText(done, place);
  const aside = answer.status === 'refused' && !options.json;
  const code = answer.status === 'refused' ? 64 : effectUnknown ? 2 : answer.status === 'failed' ? 1 : 0;
  return { stdout: aside ? '' : text, stderr: aside ? text : '', code };
}

/** What the model said at the end of the run that the command was about; null where that did not end with an answer. */
function saidIn({ runs }: SessionState, log: InspectedSession['log'], { input }: Acting): string | null {
  const asked = (input as { run_id?: string } | null)?.run_id;
  const run = asked === undefined ? runs.at(-1) : runs.find(({ run_id }) => run_id === asked);
  return run?.reason === 'completed' ? answerOf(run.run_id, log) : null;
}

/** `resume` and `recover` are commands for both; some of what they take is about calls. */
function demandNoCallsOptions({ command, operation, id, input, options, place }: Acting): void {
  if (id !== undefined)
    throw new HarnessError('usage', `A session has one run that can be taken up: leave ${id} out.`, {
      items: [stateLine(place)],
    });
  if (operation === 'recover' && input !== null)
    throw new HarnessError('usage', '--lookup and --fence ask about a call; what a session has sent is never asked about.');
  if (options.dryRun)
    throw new HarnessError('usage', `"${command}" has no --dry-run on a session. What it would do is told by:`, {
      items: [stateLine(place)],
    });
}

/** Of the last run: a call, or a model request, of which nobody can know, and with which the run did not go on. */
function isUnknown({ runs }: SessionState): boolean {
  const last = runs.at(-1);
  if (last === undefined || last.reason === 'completed') return false;
  const inDoubt = last.calls.some(({ state }) => state === 'unknown' || state === 'indeterminate');
  return inDoubt || last.stage === 'model_unknown' || (last.reason === 'interrupted' && last.model_leg === 'intent');
}

function hintFor({ refusal, session_refusal: refused }: Answer, why: string | null): string | null {
  if (refusal?.error === 'OwnerAlive' || refused?.reason === 'log_damaged' || refused?.reason === 'newer_writer') return null;
  if (why !== null) return why;
  return refused?.reason === 'config_conflict' ? 'Without --scenario the recorded configuration is used.' : null;
}
