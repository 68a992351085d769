/**
 * The naive restart: what restart loops usually do. It takes every call that has an intent and no result for one that did not happen,
 * dispatches it again under its key, and goes on. It is here to show the duplicate that resume prevents.
 */
import { resolve } from 'node:path';
import { SessionHistory } from '../../sessions/core/history.js';
import type { Draft } from '../../sessions/core/records.js';
import { lastStep, type Run, type Step, type ToolCall } from '../../sessions/core/run.js';
import { resultTexts } from '../../sessions/core/texts.js';
import { SessionLog } from '../../sessions/log/session-log.js';
import { toolPlane, type Outcome } from '../../sessions/tools/plane.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { findOwnNode, open, pass, toolEnvironment } from './open.js';
import { reportOfEnd, working } from './report.js';
import { asScenario, type Scenario } from './scenario.js';
import { sessions } from './subject.js';

async function restart(context: RoleContext): Promise<Report> {
  const scenario = asScenario(context.environment.scenario);
  findOwnNode();
  context.parking.passed(['role.ready']);
  await dispatchAgain(context, scenario);
  const opened = open(context, { scenario });
  return working(opened, async () => reportOfEnd(await opened.session.recover()));
}

async function dispatchAgain(context: RoleContext, { commit }: Scenario): Promise<void> {
  const { state, providerUrl } = context.environment;
  const history = new SessionHistory();
  const log = SessionLog.open(resolve(state), {
    commit,
    onFrame: (frame) => history.apply(frame),
    onCommitted: (frames) => pass(context, frames),
  });
  try {
    const plane = toolPlane(providerUrl, { environment: toolEnvironment(context) });
    const run = history.current;
    const step = run && lastStep(run);
    if (run === undefined || step === undefined) return;
    for (const call of step.calls) {
      const { key, tool, call: asked, intent, terminal } = call;
      if (tool === null || intent === null || terminal !== null) continue;
      const { signal } = new AbortController();
      const outcome = await plane.dispatch({ key, tool, arguments: asked.arguments, signal });
      log.append([resultOf(run, step, call, outcome)], { sync: true });
    }
  } finally {
    log.close();
  }
}

function resultOf({ runId }: Run, { batchId }: Step, { call }: ToolCall, outcome: Outcome): Draft {
  const said = outcome.outcome === 'completed';
  return {
    type: 'tool_result',
    payload: {
      run_id: runId,
      batch_id: batchId,
      tool_call_id: call.id,
      outcome: outcome.outcome,
      output: said ? outcome.output : resultTexts[outcome.outcome],
      is_error: said ? outcome.isError : true,
    },
  };
}

await runRole('restart', sessions, restart);
