/**
 * Three accounts of one history, held against one another. A disagreement is a sentence; none means that they agree wherever the contract
 * says something.
 *
 * - Bytes: all three read them, or none does, and for the same reason (damaged, or a newer writer's).
 * - Order: what the words forbid the judge finds, and nothing else. What the runtime refuses the judge finds too.
 * - States: of a record in which nothing is broken, or only frames around sound records, they are equal in all three. Of one whose records
 *   are broken and that the runtime takes all the same nobody is asked: no sentence says what it means.
 *
 * What one of the sides may do otherwise is in `freedoms.ts`, and nowhere else.
 */
import type { Derived } from '../derive/verifier.js';
import type { Subject } from '../history/drafts.js';
import type { Told } from '../worker/runtime.js';
import type { Freedom } from './freedoms.js';
import type { Account } from './reference.js';

export interface Compared {
  readonly wrong: readonly string[];
  /** That were taken, once each. */
  readonly freedoms: readonly Freedom[];
}

export function compared(subject: Subject, told: Told, derived: Derived, account: Account): Compared {
  const taken = new Set<Freedom>();
  const wrong = [
    ...aboutReading(derived, account),
    ...aboutRefusal(subject, told, account, taken),
    ...aboutOrder(derived, account),
    ...aboutStates(told, derived, account),
  ];
  return { wrong, freedoms: [...taken] };
}

/** Whether the record can be read, in the words of the reference. */
const isRead = (read: Account['read']): boolean => read === 'ok' || read === 'torn';

function aboutReading(derived: Derived, account: Account): string[] {
  if (derived.read === account.read) return [];
  const why = derived.problems[0]?.detail ?? '';
  return [`the reference reads it as ${account.read} (${account.why}), the verifier as ${derived.read} (${why})`];
}

/** What a code of the runtime says of the bytes. */
const says: Readonly<Record<string, Account['read']>> = {
  'ledger-damaged': 'damaged',
  'ledger-unreadable': 'damaged',
  'directory-foreign': 'damaged',
  'log-damaged': 'damaged',
  'version-newer': 'newer',
  'newer-writer': 'newer',
};

function aboutRefusal(subject: Subject, told: Told, strict: Account, taken: Set<Freedom>): string[] {
  if (told.refused !== told.unread)
    return [`the serve role says ${told.refused ?? 'opened'}, and the reader ${told.unread ?? 'read'}`];
  const account = strict.trusting ?? strict;
  if (account !== strict) taken.add('the digest of a payload is trusted');
  if (told.refused === null) return aboutTaking(account, taken);
  const said = says[told.refused];
  if (said === undefined) return [`the runtime refuses by ${told.refused}: ${told.words}`];
  if (isRead(account.read)) {
    if (account.contradicts && said === 'damaged') taken.add('a payload that contradicts itself');
    else if (account.broken.length === 0) return [`the runtime refuses what no words forbid: ${told.words}`];
    return said === 'damaged' ? [] : [`the runtime calls an order ${said}: ${told.words}`];
  }
  if (said === account.read) return [];
  if (subject === 'calls' && said === 'newer' && account.why === 'every event is of a known type') {
    taken.add('a row of an unknown type');
    return [];
  }
  if (subject === 'sessions' && said === 'damaged' && account.broken.length > 0) {
    taken.add('a misplaced record comes first');
    return [];
  }
  return [`the runtime calls it ${said}, the reference ${account.read} (${account.why}): ${told.words}`];
}

function aboutTaking(account: Account, taken: Set<Freedom>): string[] {
  if (!isRead(account.read)) return [`the runtime takes what is ${account.read}: ${account.why}`];
  if (account.broken.length > account.ofFrames) taken.add('an order is the judge’s');
  else if (account.broken.length > 0) taken.add('what carries no meaning is passed over');
  return [];
}

function aboutOrder(derived: Derived, account: Account): string[] {
  if (!isRead(account.read) || !isRead(derived.read)) return [];
  const [found] = derived.disorders;
  const [broken] = account.broken;
  if (broken !== undefined && found === undefined) return [`the verifier does not find what the words forbid: ${broken}`];
  if (broken === undefined && found !== undefined)
    return [`the verifier finds what no words forbid: ${found.code}, ${found.detail}`];
  return [];
}

function aboutStates({ opened, projected }: Told, derived: Derived, strict: Account): string[] {
  const account = strict.trusting ?? strict;
  if (!isRead(account.read)) return [];
  const sides = [
    ...(opened === null ? [] : [{ who: 'the serve role', entries: opened.entries, digest: opened.digest }]),
    ...(projected === null ? [] : [{ who: 'the reader', entries: projected.entries, digest: projected.digest }]),
    ...(account === strict ? [{ who: 'the verifier', entries: derived.entries, digest: derived.digest }] : []),
  ];
  const wrong = sides
    .filter(({ entries, digest }) => entries !== account.entries || digest !== account.digest)
    .map(({ who, entries }) => `${who} holds ${entries} entries, the reference ${account.entries}`);
  if (projected?.torn !== undefined && projected.torn !== (account.read === 'torn'))
    wrong.push(`the reader finds ${projected.torn ? 'a' : 'no'} torn tail, the reference reads it as ${account.read}`);
  // A fence, a name that is said twice or a skipped frame changes no state.
  if (account.broken.length > account.ofFrames) return wrong;
  const reference = withoutProse({ state: account.state, resume: account.resume });
  const against = (who: string, side: { state: unknown; resume: unknown } | null): string[] => {
    if (side === null) return [];
    const place = differenceOf(withoutProse({ state: side.state ?? undefined, resume: side.resume }), reference, '');
    return place === null ? [] : [`${who} and reference differ at ${place}`];
  };
  return [...wrong, ...against('runtime', projected), ...against('verifier', account === strict ? derived : null)];
}
/** A sentence for people is not compared: the `reason` of a stage, the `detail` of a run. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (value === null || typeof value !== 'object') return value;
  const object = value as Record<string, unknown>;
  const isProse = (name: string): boolean =>
    name === 'detail' || (name === 'reason' && ('stage' in object || 'next_operation' in object) && !('run_id' in object));
  const kept = Object.entries(object).filter(([name, item]) => !isProse(name) && item !== undefined);
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutProse(item)]));
}

/** Where two values differ, and how; null where they do not. */
function differenceOf(left: unknown, right: unknown, at: string): string | null {
  if (left === right) return null;
  const areObjects = left !== null && right !== null && typeof left === 'object' && typeof right === 'object';
  if (!areObjects || Array.isArray(left) !== Array.isArray(right))
    return `${at === '' ? 'the top' : at}: ${JSON.stringify(left)} and ${JSON.stringify(right)}`;
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = differenceOf(one[name], other[name], `${at}/${name}`);
    if (found !== null) return found;
  }
  return null;
}
