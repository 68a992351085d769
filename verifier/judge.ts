/**
 * Checks applied to a bundle, by the model that its plan names: one claim for each guarantee over the bundle, and one for each guarantee and case. A claim is held
 * only if there was something to judge, everything that the plan lets it expect was judged, and nothing was found. A check that
 * throws leaves its claim unknown, with the reason; it is never a pass. What is there and could not be read is not absent: what a check finds of
 * it is no finding, but a reason to know nothing.
 */
import { checksOf, modelOf } from './checks/all.js';
import type { Check, CheckResult, Finding, Where } from './checks/check.js';
import { EvidenceError, InternalError } from './errors.js';
import { isSelected } from './checks/selection.js';
import { looksLikeBag } from './read/bag.js';
import type { Bundle, CaseEvidence } from './read/bundle.js';
import { CoveredPaths } from './read/covered-paths.js';

export interface Claim {
  readonly guarantee: string;
  readonly sentence: string;
  /** `bundle`, or the id of a case. */
  readonly scope: string;
  readonly result: 'held' | 'broken' | 'unknown' | 'not_applicable';
  readonly expected: number;
  readonly seen: number;
  readonly reason: string | null;
  readonly findings: readonly Finding[];
}

export function judge(
  bundle: Bundle,
  list: readonly Check[] = checksOf(modelOf(bundle).name),
  cases: readonly CaseEvidence[] = bundle.cases,
): Claim[] {
  const model = modelOf(bundle);
  const isBag = looksLikeBag(bundle.tree);
  const whatWasRead = readable(bundle);
  return list.flatMap((check) => {
    if (!isBag)
      return [
        unknownClaim(
          check,
          check.scope === 'bundle' ? 'bundle' : 'cases',
          'There is no bag here: neither bagit.txt nor a manifest.',
        ),
      ];
    if (check.scope === 'bundle') return [claim(check, 'bundle', () => whatWasRead(check, check.check(bundle, model)))];
    if (bundle.cases.length === 0) return [unknownClaim(check, 'cases', 'Without a plan there is no list of cases.')];
    return cases.map((one) => caseClaim(check, bundle, one, () => whatWasRead(check, check.check(one, bundle, model))));
  });
}

/** The first guarantee is about names, and knows by itself what was not read. */
function readable({ tree: { unreadable } }: Bundle): (check: Check, result: CheckResult) => CheckResult {
  const [first] = unreadable;
  if (first === undefined) return (_check, result) => result;
  const unread = new CoveredPaths(unreadable);
  return ({ guarantee }, result) => {
    const findings = result.findings.filter(({ where }) => !unread.has(placeOf(where)));
    if (guarantee === 'G1' || findings.length === result.findings.length) return result;
    return { ...result, findings, unknown: result.unknown ?? `${first.path} ${first.why}.` };
  };
}

function placeOf({ file, case: caseId, snapshot }: Where): string {
  return file ?? ['data/cases', caseId, snapshot].filter((part) => part !== null).join('/');
}

function caseClaim(check: Check, bundle: Bundle, one: CaseEvidence, run: () => CheckResult): Claim {
  if (!isSelected(bundle, one.id)) return unknownClaim(check, one.id, 'The case was not selected.');
  if (!bundle.folders.has(one.id)) return unknownClaim(check, one.id, 'The case is not there.');
  if (one.void !== null) return unknownClaim(check, one.id, `The case is void: ${one.void}.`);
  return claim(check, one.id, run);
}

function claim(check: Check, scope: string, run: () => CheckResult): Claim {
  let result: CheckResult;
  try {
    result = run();
  } catch (error) {
    // A verifier that cannot hash must not judge at all.
    if (error instanceof InternalError) throw error;
    if (error instanceof EvidenceError) return unknownClaim(check, scope, error.message);
    return unknownClaim(check, scope, `The check itself failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { guarantee, sentence } = check;
  const { expected, seen } = result;
  const findings = result.findings.map((finding) => ({ ...finding, guarantee }));
  const blind = result.unknown !== undefined || seen < expected;
  const reason = blind ? (result.unknown ?? 'Less was seen than the plan lets expect.') : null;
  return { guarantee, sentence, scope, result: resultOf(findings.length, blind, expected), expected, seen, reason, findings };
}

/** Nothing expected and nothing seen, in sources that were read whole, is no guarantee kept: there was nothing to keep it about. */
function resultOf(findings: number, blind: boolean, expected: number): Claim['result'] {
  if (findings > 0) return 'broken';
  if (blind) return 'unknown';
  return expected === 0 ? 'not_applicable' : 'held';
}

function unknownClaim({ guarantee, sentence }: Check, scope: string, reason: string): Claim {
  return { guarantee, sentence, scope, result: 'unknown', expected: 1, seen: 0, reason, findings: [] };
}
