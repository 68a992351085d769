/**
 * G26: What ran is what was planned: the scenario and the script are the plan's, byte for byte, the record says what the scenario
 * asks for, and the provider did to each request what its script says.
 * Verified: the hashes that the harness recorded of what it gave, and the operation, against the plan; task, claim, inventory, call,
 * policy, judgement and the version of a second reading in every event that a snapshot added; of every request and question that it added, how it ended, its status and
 * its effect, against the step in force and the rules about keys, fences and what is on its way; a scripted text and what a question was
 * told, where the bytes are kept, and scripted bytes by their hash.
 * Not verified: how long a delay was and where a stream was cut; the words of an error; what a subject of one's own makes of its scenario.
 */
import { departures, stepsOf } from '../model/provider.js';
import { interpret } from '../model/interpreter.js';
import type { Plan } from '../contract/types.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import { canonical, sameJson } from '../read/canonical.js';
import { textSha256 } from '../read/hash.js';
import type { Settled } from '../read/receipts.js';
import type { RoleEvidence } from '../read/role.js';
import { need, perSnapshot, type CaseCheck, type Say } from './check.js';
import { addedRequests, inheritedLines, isExternal, plannedQuestions, plannedReceipts } from './derived.js';
import { toldTo } from './parking.js';
import type { Message, Scenario, SubjectModel } from './subject-model.js';

type Script = Plan['providers'][string];

export const g26: CaseCheck = {
  guarantee: 'G26',
  sentence:
    "What ran is what was planned: the scenario and the script are the plan's, byte for byte, the record says what the scenario asks for, and the provider did to each request what its script says.",
  covers:
    'the recorded hashes of scenario, script and input; what every added event records of the scenario; the end, the status, the effect and the scripted text of every request; the end and the answer of every question',
  doesNotCover:
    "how long a delay was, where a stream was cut, the words of an error; what a subject of one's own makes of its scenario",
  codes: ['scenario-unplanned', 'script-departed'],
  scope: 'case',
  check: ({ snapshots }, bundle, model) =>
    perSnapshot(snapshots, plannedParts, (snapshot, say) => {
      const { scenario, script } = plannedInput(bundle, snapshot);
      let given = 0;
      for (const role of snapshot.roles) given += givenWrong(snapshot, role, scenario, script, say);
      const inherited = inheritedLines(snapshot);
      const added = need(snapshot.receipts).all.filter(({ received }) => received.seq > inherited);
      requestsWrong(snapshot, script, model, say);
      if (!isExternal(snapshot)) recordWrong(snapshot, scenario, model, say);
      return given + added.filter(({ settled }) => settled !== undefined).length;
    }),
};

/** What each role was given, and the requests and questions that this snapshot adds. */
function plannedParts(snapshot: Snapshot): number {
  const given = snapshot.roles.reduce((sum, role) => sum + (toldTo(snapshot, role).operation === null ? 2 : 3), 0);
  return given + plannedMore(snapshot, 'receipts', plannedReceipts) + plannedMore(snapshot, 'questions', plannedQuestions);
}

/** Nothing where the plan leaves open how far a recovery came that this snapshot goes on from. */
function plannedMore(snapshot: Snapshot, figure: 'receipts' | 'questions', planned: (one: Snapshot) => number): number {
  const { base } = snapshot;
  if (base === undefined) return planned(snapshot);
  const isOpen = base.planned.role === 'resume' && base.planned.expect[figure] === undefined;
  return isOpen ? 0 : planned(snapshot) - planned(base);
}

/** Scenario, script, and what it was told to carry out; how many of them were judged. */
function givenWrong(snapshot: Snapshot, role: RoleEvidence, scenario: Scenario, script: Script, say: Say): number {
  const record = need(role.process);
  const file = role.file('process.json');
  if (record.scenario_sha256 !== partSha256(scenario, '\n'))
    say('scenario-unplanned', 'The role was given another scenario than the planned one.', { file });
  if (record.script_sha256 !== partSha256(script, ''))
    say('scenario-unplanned', 'The provider was given another script than the planned one.', { file });
  const { operation, input } = toldTo(snapshot, role);
  if ((record.operation ?? null) !== operation)
    say('scenario-unplanned', 'The role was told another operation than the planned one.', { file });
  if ((record.input_sha256 ?? null) !== (input === null ? null : partSha256(input, '\n')))
    say('scenario-unplanned', 'The role was given another input than the planned one.', { file });
  return operation === null ? 2 : 3;
}

const hashes = new WeakMap<object, string>();

/** The snapshots of a plan share its few scenarios and scripts, so each is written and hashed once. */
function partSha256(part: object, end: string): string {
  const hash = hashes.get(part) ?? textSha256(canonical(part) + end);
  hashes.set(part, hash);
  return hash;
}

function plannedInput(bundle: Bundle, { planned }: Snapshot): { scenario: Scenario; script: Script } {
  const { scenarios, providers } = need(bundle.plan);
  // A plan whose names lead nowhere is malformed, and then there are no cases.
  return { scenario: scenarios[planned.scenario] as Scenario, script: providers[planned.provider] as Script };
}

function recordWrong(snapshot: Snapshot, scenario: Scenario, model: SubjectModel, say: Say): void {
  const file = model.logFile(snapshot.state);
  for (const { seq, detail } of model.scenarioDepartures(scenario, snapshot)) say('scenario-unplanned', detail, { file, seq });
}

function requestsWrong(snapshot: Snapshot, script: Script, model: SubjectModel, say: Say): void {
  const log = need(snapshot.receipts);
  const file = snapshot.file('receipts.jsonl');
  const inherited = inheritedLines(snapshot);
  for (const { seq, detail } of departures(log, inherited, script, model.answersKept(snapshot)))
    say('script-departed', detail, { file, seq });
  const steps = stepsOf(log, inherited, script);
  for (const { received, settled } of addedRequests(snapshot)) {
    const step = steps.get(received.seq);
    if (settled === undefined || step === undefined || settled.effect?.replayed === true) continue;
    const message = model.messageKept(snapshot, received);
    const wrong =
      contentWrong(step, settled, (hash) => model.responseKept(snapshot, hash)) ?? messageWrong(step, settled, message);
    if (wrong !== null) say('script-departed', wrong, { file, seq: settled.seq });
  }
}

type BytesOf = (hash: string) => Uint8Array | undefined;

/** Of an answer that is not given again. */
function contentWrong(
  step: Script['otherwise'],
  { effect, status, response_sha256: hash }: Settled,
  bytesOf: BytesOf,
): string | null {
  // What a key refused has no effect, and says so in the provider's own words.
  const isStep = effect !== null || (step.do === 'raw' && step.effect === 'none');
  if (step.do === 'raw' && isStep && status === step.status && hash !== textSha256(step.body))
    return 'The answer has other bytes than its script.';
  if (step.do !== 'answer' || step.text === undefined || effect?.name !== 'chat.completions') return null;
  // Only what a record kept has bytes; a hash alone has no text.
  const kept = bytesOf(hash ?? '');
  return kept === undefined || interpret(200, kept).text === step.text ? null : 'The answer has another text than its script.';
}

/** What a script leaves open is the provider's own. */
function messageWrong(step: Script['otherwise'], { effect }: Settled, message: Message | undefined): string | null {
  if (step.do !== 'answer' || effect?.name !== 'chat.completions' || message === undefined) return null;
  const { text, tool_calls: calls = [] } = step;
  // An empty text is none, and an answer that asks for calls has none unless its script says otherwise.
  const wanted = text === '' || (text === undefined && calls.length > 0) ? null : text;
  const isSame = (wanted === undefined || wanted === message.text) && sameJson(calls, message.tool_calls);
  return isSame ? null : 'The record has another message than the answer of its script.';
}
