/**
 * Claims → the verdict document. invalid > unknown > valid, and no claims at all are unknown: what was not checked never passes.
 * The document holds no time, host, path, pid or version, and everything in it is sorted, so that one bundle gives equal bytes
 * anywhere; `run` is its only run-specific member.
 */
import type { Verdict } from './contract/types.js';
import { checks } from './checks/all.js';
import { type Finding } from './checks/check.js';
import { answered, outcomeIn } from './checks/derived.js';
import { EvidenceError } from './errors.js';
import { judge, type Claim } from './judge.js';
import { rootSha256 } from './read/bag.js';
import { readBundle, type Bundle, type Snapshot } from './read/bundle.js';
import { fileSha256 } from './read/hash.js';
import type { Tree } from './read/tree.js';

export interface Judgement {
  readonly verdict: Verdict;
  readonly claims: readonly Claim[];
}

export function verify(tree: Tree): Judgement {
  const bundle = readBundle(tree);
  const claims = judge(bundle);
  return { verdict: document(bundle, claims), claims };
}

export function overall(claims: readonly Pick<Claim, 'result'>[], voids: number): Verdict['verdict'] {
  if (claims.some(({ result }) => result === 'broken')) return 'invalid';
  if (claims.length === 0 || voids > 0 || claims.some(({ result }) => result === 'unknown')) return 'unknown';
  return 'valid';
}

/** The limits that no claim can lift. */
const limits = [
  'Power loss: every kill is a process crash; the page cache survived.',
  'A ledger and its receipts cut off at the end in step: no chain inside the bundle shows it.',
  'Whether the plan came before anybody peeked, and when it was committed.',
];

function document(bundle: Bundle, claims: readonly Claim[]): Verdict {
  const voids = bundle.cases.filter((one) => one.void !== null).length;
  const count = (result: Claim['result']): number => claims.filter((claim) => claim.result === result).length;
  return {
    version: 'verdict/v1',
    verdict: overall(claims, voids),
    confirmatory: bundle.execution.value?.confirmatory ?? false,
    plan: { id: bundle.plan.value?.id ?? '', sha256: bundle.planBytes === undefined ? '' : fileSha256(bundle.planBytes) },
    claims: { held: count('held'), broken: count('broken'), unknown: count('unknown') },
    cases: bundle.cases.length,
    void: voids,
    findings: claims.flatMap(({ findings }) => findings).sort(byPlace),
    outcomes: bundle.cases.flatMap((one) => (one.void === null ? one.snapshots.flatMap(outcomeLine) : [])),
    results: claims
      .map(({ guarantee, scope, result, expected, seen, reason }) => ({ guarantee, scope, result, expected, seen, reason }))
      .sort(byGuarantee),
    not_covered: [...limits, ...checks.map(({ guarantee, doesNotCover }) => `${guarantee}: ${doesNotCover}.`)],
    run: { id: bundle.execution.value?.run_id ?? '', root_sha256: rootSha256(bundle.tree) },
  };
}

function outcomeLine(snapshot: Snapshot): Verdict['outcomes'] {
  try {
    answered(snapshot);
    return [{ case: snapshot.caseId, snapshot: snapshot.name, outcome: outcomeIn(snapshot) }];
  } catch (error) {
    // Without its evidence a snapshot has no outcome; the claims say why.
    if (error instanceof EvidenceError) return [];
    throw error;
  }
}

function order(left: string | number, right: string | number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function byPlace(left: Finding, right: Finding): number {
  const key = ({ guarantee, where, code, detail }: Finding): (string | number)[] => [
    Number(guarantee.slice(1)),
    ...[where.case ?? '', where.snapshot ?? '', where.file ?? ''],
    where.seq ?? -1,
    ...[code, detail],
  ];
  const [a, b] = [key(left), key(right)];
  return a.map((part, index) => order(part, b[index] ?? '')).find((result) => result !== 0) ?? 0;
}

function byGuarantee(left: Verdict['results'][number], right: Verdict['results'][number]): number {
  return order(Number(left.guarantee.slice(1)), Number(right.guarantee.slice(1))) || order(left.scope, right.scope);
}
