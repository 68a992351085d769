/**
 * Three accounts of one history, held against one another. A disagreement is a sentence; none means that they agree wherever the contract
 * says something.
 *
 * - Bytes: all three read them, or none does, and for the same reason (damaged, or a newer writer's).
 * - Order: what the words forbid the judge finds. What the runtime refuses the judge finds too: it may refuse less, since the contract
 *   asks a reader only for what is damaged or newer, and an order is the judge's (G10, G34). What the judge finds and the words do not forbid
 *   is listed in `freedoms.ts`.
 * - States: of a record in which nothing is broken they are equal in all three. Of one that is broken and that the runtime takes all the
 *   same nobody is asked: no sentence says what it means.
 */
import type { Derived } from '../derive/verifier.js';
import type { Subject } from '../history/drafts.js';
import type { Told } from '../worker/runtime.js';
import type { Account } from './reference.js';
import { isFree } from './freedoms.js';

export function disagreements(subject: Subject, told: Told, derived: Derived, account: Account): string[] {
  return [...aboutRefusal(subject, told, derived, account), ...aboutStates(told, derived, account)];
}

/** Whether the record can be read, in the words of the reference. */
const isRead = (read: Account['read']): boolean => read === 'ok' || read === 'torn';

/** What a code of the runtime says of the bytes. */
const says: Readonly<Record<string, Account['read']>> = {
  'ledger-damaged': 'damaged',
  'ledger-unreadable': 'damaged',
  'directory-foreign': 'damaged',
  'log-damaged': 'damaged',
  'version-newer': 'newer',
  'newer-writer': 'newer',
};

function aboutRefusal(subject: Subject, told: Told, derived: Derived, account: Account): string[] {
  const wrong: string[] = [];
  if (told.refused !== told.unread)
    wrong.push(`the serve role says ${told.refused ?? 'opened'}, and the reader ${told.unread ?? 'read'}`);
  if (!isRead(account.read) || !isRead(derived.read)) return [...wrong, ...aboutBytes(subject, told, derived, account)];
  if (account.read !== derived.read) wrong.push(`the reference reads it as ${account.read}, the verifier as ${derived.read}`);
  const isDisordered = derived.disorders.length > 0;
  if (account.broken.length > 0 && !isDisordered)
    wrong.push(`the verifier does not find what the words forbid: ${account.broken[0]}`);
  if (told.refused !== null && !isDisordered) wrong.push(`the runtime refuses what the verifier finds in order: ${told.words}`);
  const finer = derived.disorders.filter((one) => !isFree(subject, 'the judge finds more than the words forbid', one));
  if (account.broken.length === 0 && finer.length > 0) wrong.push(`the verifier finds what no words forbid: ${finer[0]}`);
  return wrong;
}

function aboutBytes(subject: Subject, told: Told, derived: Derived, account: Account): string[] {
  const wrong: string[] = [];
  const why = derived.problems[0] ?? '';
  // A row of an unknown type is a newer writer's to the runtime and malformed to the judge; both refuse it.
  const isSame = derived.read === account.read;
  if (!isSame)
    wrong.push(
      `the reference reads it as ${account.read} (${account.broken[0] ?? ''}), the verifier as ${derived.read} (${why})`,
    );
  // What it takes it goes on from, and what it then says is of what lies behind.
  if (isFree(subject, 'the runtime takes what the judge calls damaged', why)) return wrong;
  if (told.refused === null) {
    wrong.push(`the runtime takes what is ${account.read}: ${why}`);
    return wrong;
  }
  // A reader reads from the front, and may meet a record that cannot stand there before the place with the damage.
  if (told.words.includes('cannot stand where it stands')) return wrong;
  const said = says[told.refused];
  if (said === undefined) wrong.push(`the runtime refuses by ${told.refused}`);
  else if (subject === 'sessions' && said !== derived.read)
    wrong.push(`the runtime calls it ${said}, the verifier ${derived.read} (${why})`);
  return wrong;
}

function aboutStates({ opened, projected }: Told, derived: Derived, account: Account): string[] {
  if (opened === null || projected === null || !isRead(account.read) || !isRead(derived.read)) return [];
  const accounts = [
    { who: 'the serve role', entries: opened.entries, digest: opened.digest },
    { who: 'the reader', entries: projected.entries, digest: projected.digest },
    { who: 'the verifier', entries: derived.entries, digest: derived.digest },
  ];
  const wrong = accounts
    .filter(({ entries, digest }) => entries !== account.entries || digest !== account.digest)
    .map(({ who, entries }) => `${who} holds ${entries} entries, the reference ${account.entries}`);
  if (account.broken.length > 0 || derived.disorders.length > 0) return wrong;
  const states = {
    runtime: withoutProse({ state: projected.state ?? undefined, resume: projected.resume }),
    verifier: withoutProse({ state: derived.state, resume: derived.resume }),
    reference: withoutProse({ state: account.state, resume: account.resume }),
  };
  const between = (left: keyof typeof states, right: keyof typeof states): string[] => {
    const place = differenceOf(states[left], states[right], '');
    return place === null ? [] : [`${left} and ${right} differ at ${place}`];
  };
  return [...wrong, ...between('runtime', 'reference'), ...between('verifier', 'reference')];
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
