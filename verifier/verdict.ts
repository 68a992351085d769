/**
 * Claims → the verdict document. invalid > unknown > valid, and without a claim that is held it is unknown: what was not checked never passes.
 * The document holds no time, host, path, pid or version, and everything in it is sorted, so that one bundle gives equal bytes
 * anywhere; `run` is its only run-specific member.
 */
import type { Verdict } from './contract/types.js';
import { checksOf, modelOf } from './checks/all.js';
import { type Finding } from './checks/check.js';
import type { SubjectModel } from './checks/subject-model.js';
import { InternalError } from './errors.js';
import { judge, type Claim } from './judge.js';
import { rootSha256 } from './read/bag.js';
import { readBundle, type Bundle, type Snapshot } from './read/bundle.js';
import { fileSha256 } from './read/hash.js';
import { Memory } from './read/memory.js';
import type { Tree } from './read/tree.js';

export interface Judgement {
  readonly verdict: Verdict;
  readonly claims: readonly Claim[];
}

/** `memory` is shared only by the verdicts of one run over variants of one bundle. */
export function verify(tree: Tree, memory = new Memory()): Judgement {
  const bundle = readBundle(tree, memory);
  const claims = judge(bundle);
  return { verdict: document(bundle, claims), claims };
}

export function overall(claims: readonly Pick<Claim, 'result'>[], voids: number): Verdict['verdict'] {
  if (claims.some(({ result }) => result === 'broken')) return 'invalid';
  if (voids > 0 || claims.some(({ result }) => result === 'unknown')) return 'unknown';
  return claims.some(({ result }) => result === 'held') ? 'valid' : 'unknown';
}

/** The limits that no claim can lift. */
const limits = ({ logName }: SubjectModel): string[] => [
  'Power loss, but in the arms that are about it: every other kill is a process crash; the page cache survived.',
  `A ${logName} and its receipts cut off at the end in step: no chain inside the bundle shows it.`,
  'Whether the plan came before anybody peeked, and when it was committed.',
];

/** Its members stand in the order of their names, which is how they are written. */
function document(bundle: Bundle, claims: readonly Claim[]): Verdict {
  const model = modelOf(bundle);
  const voids = bundle.cases.filter((one) => one.void !== null).length;
  const count = (result: Claim['result']): number => claims.filter((claim) => claim.result === result).length;
  return {
    cases: bundle.cases.length,
    claims: {
      broken: count('broken'),
      held: count('held'),
      not_applicable: count('not_applicable'),
      unknown: count('unknown'),
    },
    confirmatory: bundle.execution.value?.confirmatory ?? false,
    findings: claims.flatMap(({ findings }) => findings).sort(byPlace),
    not_covered: [
      ...limits(model),
      ...checksOf(model.name).map(({ guarantee, doesNotCover }) => `${guarantee}: ${doesNotCover}.`),
    ],
    outcomes: bundle.cases.flatMap((one) =>
      one.void === null ? one.snapshots.flatMap((snapshot) => outcomeLine(model, snapshot)) : [],
    ),
    plan: { id: bundle.plan.value?.id ?? '', sha256: bundle.planBytes === undefined ? '' : fileSha256(bundle.planBytes) },
    results: claims
      .map(({ expected, guarantee, reason, result, scope, seen }) => ({ expected, guarantee, reason, result, scope, seen }))
      .sort(byGuarantee),
    run: { id: bundle.execution.value?.run_id ?? '', root_sha256: rootSha256(bundle.tree) },
    verdict: overall(claims, voids),
    version: 'verdict/v1',
    void: voids,
  };
}

function outcomeLine(model: SubjectModel, snapshot: Snapshot): Verdict['outcomes'] {
  try {
    return [{ case: snapshot.caseId, outcome: model.outcome(snapshot), snapshot: snapshot.name }];
  } catch (error) {
    // A verifier that cannot hash must not judge at all.
    if (error instanceof InternalError) throw error;
    // Without its evidence a snapshot has no outcome; the claims say why.
    return [];
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
  if (left.guarantee === right.guarantee) return order(left.scope, right.scope);
  return order(Number(left.guarantee.slice(1)), Number(right.guarantee.slice(1)));
}
