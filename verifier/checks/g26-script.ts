/**
 * G26: What ran is what was planned: the scenario and the script are the plan's, byte for byte, the record says what the scenario
 * asks for, and the provider did to each request what its script says.
 * Verified: the hashes that the harness recorded of what it gave, against the plan; task, claim, inventory, call, policy and judgement
 * in every event that a snapshot added; of every request that it added, how it ended, its status and its effect, against the step in
 * force and the rule about keys; a scripted text, where its bytes are kept.
 * Not verified: how long a delay was and where a stream was cut; the words of an error; what a subject of one's own makes of its scenario.
 */
import { departures } from '../model/provider.js';
import { interpret } from '../model/interpreter.js';
import { scenarioDepartures } from '../model/scenario.js';
import type { Plan } from '../contract/types.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import { canonical } from '../read/canonical.js';
import { textSha256 } from '../read/hash.js';
import type { Request } from '../read/receipts.js';
import { need, perSnapshot, type CaseCheck, type Say } from './check.js';
import { addedRequests, inheritedCount, isExternal, plannedReceipts } from './derived.js';

type Scenario = Plan['scenarios'][string];
type Script = Plan['providers'][string];

export const g26: CaseCheck = {
  guarantee: 'G26',
  sentence:
    "What ran is what was planned: the scenario and the script are the plan's, byte for byte, the record says what the scenario asks for, and the provider did to each request what its script says.",
  covers:
    'the recorded hashes of scenario and script; what every added event records of the scenario; the end, the status, the effect and the scripted text of every request',
  doesNotCover:
    "how long a delay was, where a stream was cut, the words of an error; what a subject of one's own makes of its scenario",
  codes: ['scenario-unplanned', 'script-departed'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(snapshots, plannedParts, (snapshot, say) => {
      const { scenario, script } = plannedInput(bundle, snapshot);
      const record = need(snapshot.process);
      const file = snapshot.file('process.json');
      if (record.scenario_sha256 !== partSha256(scenario, '\n'))
        say('scenario-unplanned', 'The role was given another scenario than the planned one.', { file });
      if (record.script_sha256 !== partSha256(script, ''))
        say('scenario-unplanned', 'The provider was given another script than the planned one.', { file });
      const added = addedRequests(snapshot);
      requestsWrong(snapshot, added, script, say);
      if (!isExternal(snapshot)) recordWrong(snapshot, scenario, say);
      return 2 + added.filter(({ settled }) => settled !== undefined).length;
    }),
};

/** Scenario, script, and the requests that this snapshot adds. */
function plannedParts(snapshot: Snapshot): number {
  return 2 + plannedReceipts(snapshot) - (snapshot.base === undefined ? 0 : plannedReceipts(snapshot.base));
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

function recordWrong(snapshot: Snapshot, scenario: Scenario, say: Say): void {
  const { events, artifacts } = need(snapshot.ledger);
  const inherited = inheritedCount(snapshot);
  const bytesOf = (hash: string): Uint8Array | undefined => artifacts.get(hash)?.bytes;
  const file = snapshot.file('state/ledger.sqlite');
  for (const { seq, detail } of scenarioDepartures(scenario, snapshot.planned.role, { events, inherited, bytesOf }))
    say('scenario-unplanned', detail, { file, seq });
}

function requestsWrong(snapshot: Snapshot, added: readonly Request[], script: Script, say: Say): void {
  const { requests } = need(snapshot.receipts);
  const file = snapshot.file('receipts.jsonl');
  for (const { request, detail } of departures(requests, requests.length - added.length, script))
    say('script-departed', detail, { file, seq: request.settled?.seq ?? null });
  for (const [index, { settled }] of added.entries()) {
    const step = script.requests[index] ?? script.otherwise;
    if (step.do !== 'answer' || step.text === undefined || settled?.effect?.replayed !== false) continue;
    // Only what a ledger kept has bytes; a hash alone has no text.
    const kept = snapshot.ledger.value?.artifacts.get(settled.response_sha256 ?? '');
    if (settled.effect.name === 'chat.completions' && kept !== undefined && interpret(200, kept.bytes).text !== step.text)
      say('script-departed', 'The answer has another text than its script.', { file, seq: settled.seq });
  }
}
