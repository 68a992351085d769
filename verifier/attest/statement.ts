/**
 * A verdict as in-toto Statements (v1), for tools that know neither killpoint nor its formats. Pure: one verdict gives equal bytes anywhere.
 *
 *   result   https://in-toto.io/attestation/test-result/v0.1: passed or failed, with the claims by name
 *   matrix   urn:killpoint:verdict:v1: the verdict document, without what the verifier says about itself
 *
 * Their subject is the root hash of the bag: the SHA-256 of `tagmanifest-sha256.txt`, which covers every other file.
 */
import type { Verdict } from '../contract/types.js';
import { tagManifest } from '../read/bag.js';
import { canonical } from '../read/canonical.js';

export const payloadType = 'application/vnd.in-toto+json';

export type Kind = 'result' | 'matrix';
export const kinds: readonly Kind[] = ['result', 'matrix'];

export interface Statement {
  readonly _type: 'https://in-toto.io/Statement/v1';
  readonly predicate: object;
  readonly predicateType: string;
  readonly subject: readonly { readonly digest: { readonly sha256: string }; readonly name: string }[];
}

/** Without it there is nothing that a statement could be about. */
export function hasRootHash({ run }: Verdict): boolean {
  return run.root_sha256 !== '';
}

export function statementOf(kind: Kind, verdict: Verdict): Statement {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    predicate: kind === 'result' ? testResult(verdict) : matrix(verdict),
    predicateType: predicateTypes[kind],
    subject: [{ digest: { sha256: verdict.run.root_sha256 }, name: tagManifest }],
  };
}

export function payloadOf(statement: Statement): Buffer {
  return Buffer.from(canonical(statement), 'utf8');
}

const predicateTypes: Readonly<Record<Kind, string>> = {
  result: 'https://in-toto.io/attestation/test-result/v0.1',
  matrix: 'urn:killpoint:verdict:v1',
};

function testResult({ plan, results, verdict, confirmatory }: Verdict): object {
  const named = (...wanted: Verdict['results'][number]['result'][]): string[] =>
    results.filter(({ result }) => wanted.includes(result)).map(({ guarantee, scope }) => `${guarantee} ${scope}`);
  return {
    configuration: [{ digest: { sha256: plan.sha256 }, name: 'data/plan.json' }],
    // To this predicate a warning is a pass, so what could not be checked is among what failed.
    failedTests: named('broken', 'unknown'),
    passedTests: named('held'),
    // An exploratory run proves what ran and not what was planned: a policy may take it, but not unseen.
    result: verdict !== 'valid' ? 'FAILED' : confirmatory ? 'PASSED' : 'WARNED',
    warnedTests: [],
  };
}

/** What is not covered are the verifier's words about itself, no result: a later wording would part the statement from its verdict. */
function matrix({ not_covered: _words, ...results }: Verdict): object {
  return results;
}
