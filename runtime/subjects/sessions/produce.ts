/**
 * The producer: does what the script of its scenario says, in order, and meanwhile what `during` says.
 *
 * On a folder that already holds the session it goes on from what is recorded: a message under the same id is the same message. Parking
 * and killing happen around it; it knows nothing of the harness but the armed place.
 */
import type { Session } from '../../sessions/api/session.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { During } from './during.js';
import { findOwnNode, open } from './open.js';
import { reportOfEnd, working } from './report.js';
import { asScenario, type ScriptStep } from './scenario.js';
import { approve, cancel, queue, retract, send } from './steps.js';
import { sessions } from './subject.js';

async function produce(context: RoleContext): Promise<Report> {
  const scenario = asScenario(context.environment.scenario);
  findOwnNode();
  const during = new During(scenario.during ?? []);
  context.parking.passed(['role.ready']);
  const opened = open(context, { scenario, create: true, onCommitted: (frames) => during.committed(opened.session, frames) });
  return working(opened, async () => {
    let report: Report = { status: 'completed', detail: 'Nothing was asked for.' };
    for (const step of scenario.script) report = await carryOut(opened.session, step);
    return during.refused === null ? report : { ...report, status: 'failed', detail: during.refused };
  });
}

async function carryOut(session: Session, step: ScriptStep): Promise<Report> {
  switch (step.do) {
    case 'send':
      return send(session, step);
    case 'queue':
      return queue(session, step);
    case 'retract':
      return retract(session, step);
    case 'approve':
      return approve(session, step);
    case 'cancel':
      return cancel(session, step);
    case 'resume':
      return reportOfEnd(await session.recover());
  }
}

await runRole('produce', sessions, produce);
