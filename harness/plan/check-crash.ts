/**
 * The mistakes of what a plan does to a snapshot: its kill or crash model, the operation that its role is told to carry out, and how
 * many processes it expects to answer. Pure.
 */
import type { Subject } from '../contract/types.js';
import { killedRecoveries } from './crash-in-recovery.js';
import { arrayOf, type LooseArm, type LooseCase, type LoosePlan, type Mistake } from './loose.js';
import { toldMistakes } from './models.js';

type LooseCrash = NonNullable<LooseArm['crash']>;

/** No recovery that a plan can be written for makes more; a plan beyond it would stand for snapshots without end. */
const mostCommits = 1000;

/** The lock of a state folder, by the contract: a model that defeats it must be sure that it is no part of the state. */
const lease = 'lease.sqlite';

export function* killMistakes(
  part: LooseCase | LooseArm,
  provider: string | undefined,
  at: string,
  plan: LoosePlan,
  subject: Subject | undefined,
): Generator<Mistake> {
  const kill = part.kill ?? null;
  const ended = part.expect?.ended;
  if (kill === null && ended === 'killed')
    yield { pointer: `${at}/expect/ended`, sentence: 'expects a kill where the plan has none' };
  if (kill === null) return;
  if (ended !== undefined && ended !== 'killed')
    yield { pointer: `${at}/expect/ended`, sentence: `expects "${ended}" although the plan kills here` };
  if (kill.at === 'checkpoint') yield* placeMistakes(kill.checkpoint, `${at}/kill/checkpoint`, subject);
  if (kill.at === 'held' && provider !== undefined) {
    const script = plan.providers?.[provider];
    const most = script === undefined ? Number.POSITIVE_INFINITY : mostHeld(script);
    const wanted = kill.requests ?? 1;
    const waits = `waits for ${wanted === 1 ? 'a held request' : `${wanted} held requests`}`;
    if (most < wanted)
      yield {
        pointer: `${at}/kill`,
        sentence: `${waits}, but the provider "${provider}" holds ${most === 0 ? 'none' : `no more than ${most}`}`,
      };
  }
}

type LooseScript = NonNullable<NonNullable<LoosePlan['providers']>[string]>;

/** How many requests a script can hold at once: each step of a list is for one request, the last word of a list for any number. */
function mostHeld({ requests, otherwise, effects }: LooseScript): number {
  const holds = (step: { readonly do?: string } | undefined): boolean => step?.do === 'hold' || step?.do === 'delay_arrival';
  const lists = [{ requests, otherwise }, ...Object.values(effects ?? {})];
  if (lists.some((list) => holds(list?.otherwise))) return Number.POSITIVE_INFINITY;
  return lists.flatMap((list) => arrayOf(list?.requests)).filter(holds).length;
}

/** A case has no crash model and no operation: its producer is alone. */
export function* operationMistakes(arm: LooseArm, at: string, subject: Subject | undefined): Generator<Mistake> {
  yield* toldMistakes(arm.operation, `${at}/operation`, subject);
  if (arm.operation !== undefined && arm.role !== undefined && arm.role !== 'resume')
    yield { pointer: `${at}/operation`, sentence: `is told to the role "${arm.role}"; only "resume" carries out operations` };
  if (arm.input !== undefined && arm.operation === undefined)
    yield { pointer: `${at}/input`, sentence: 'is given without an operation that could use it' };
}

export function* crashMistakes(arm: LooseArm, at: string, subject: Subject | undefined): Generator<Mistake> {
  const { crash } = arm;
  if (crash === undefined || crash === null) return;
  if ((arm.kill ?? null) !== null)
    yield { pointer: `${at}/crash`, sentence: 'is given together with a kill; a snapshot can have one of the two' };
  if (crash.model === 'syscall-kill' || crash.model === 'io-fault') return yield* tracedMistakes(arm, crash, 'a ratchet', at);
  if (crash.model === 'power-loss') {
    if (subject !== undefined && subject.roles.serve === undefined)
      yield {
        pointer: `${at}/crash`,
        sentence: `needs the role "serve", which looks at the states that a power loss may leave, and ${subject.name} has none`,
      };
    return yield* tracedMistakes(arm, crash, 'power loss', at);
  }
  const isOwner = crash.model === 'zombie' || crash.model === 'crash-in-recovery';
  if (isOwner && arm.role !== undefined && arm.role !== 'resume')
    yield { pointer: `${at}/crash`, sentence: `needs the role "resume", and the role here is "${arm.role}"` };
  if (crash.model === 'race') {
    const place = crash.forced === true ? 'projection.read' : crash.forced === false ? 'role.ready' : undefined;
    yield* placeMistakes(place, `${at}/crash`, subject);
  }
  if (crash.model === 'zombie') yield* zombieMistakes(crash, at, subject);
  if (crash.model === 'crash-in-recovery') {
    yield* commitMistakes(crash, at);
    yield* placeMistakes('projection.read', `${at}/crash`, subject);
    yield* placeMistakes('commit', `${at}/crash`, subject);
  }
}

function* tracedMistakes(
  { role, from }: LooseArm,
  { every, offset }: Extract<LooseCrash, { model?: 'syscall-kill' | 'io-fault' | 'power-loss' }>,
  under: string,
  at: string,
): Generator<Mistake> {
  if (role === 'restart')
    yield { pointer: `${at}/crash`, sentence: 'needs the role "produce" or "resume", and the role here is "restart"' };
  if (role === 'produce' && from !== undefined)
    yield { pointer: `${at}/from`, sentence: `is given for a producer under ${under}, which begins with nothing` };
  if (every !== undefined && every >= 1 && offset !== undefined && offset >= every)
    yield { pointer: `${at}/crash/offset`, sentence: `is ${offset}, and no number divided by ${every} leaves that` };
}

/** What these models stand for is found by running them. */
const openEnded: Readonly<Record<string, string>> = {
  'syscall-kill': 'ratchet',
  'io-fault': 'ratchet',
  'power-loss': 'power loss',
};

/** What a ratchet or a power loss stands for is found by running it: whatever begins with its name belongs to it. */
export function* reservedMistakes(arms: readonly (LooseArm | undefined)[], at: string): Generator<Mistake> {
  const name = (arm: LooseArm | undefined): string => (typeof arm?.id === 'string' ? arm.id.toLowerCase() : '');
  const owners = arms.flatMap((arm) => {
    const what = openEnded[arm?.crash?.model ?? ''];
    return what === undefined || name(arm) === '' ? [] : [{ id: name(arm), what }];
  });
  for (const [index, arm] of arms.entries()) {
    const owner = owners.find(({ id }) => name(arm).startsWith(`${id}-`));
    if (owner !== undefined)
      yield {
        pointer: `${at}/arms/${index}/id`,
        sentence: `is a name that the ${owner.what} "${owner.id}" may need for its own snapshots`,
      };
  }
}

function* zombieMistakes(
  { stop, defeat, other }: Extract<LooseCrash, { model?: 'zombie' }>,
  at: string,
  subject: Subject | undefined,
): Generator<Mistake> {
  yield* placeMistakes(stop?.checkpoint, `${at}/crash/stop/checkpoint`, subject);
  yield* toldMistakes(other?.operation, `${at}/crash/other/operation`, subject);
  if (subject !== undefined && defeat !== undefined && defeat !== 'none' && !subject.volatile.includes(lease)) {
    yield {
      pointer: `${at}/crash/defeat`,
      sentence: `defeats the lock ${lease}, which ${subject.name} does not list as volatile`,
    };
  }
}

function* commitMistakes({ commits }: Extract<LooseCrash, { model?: 'crash-in-recovery' }>, at: string): Generator<Mistake> {
  const all = arrayOf(commits);
  const [first] = all;
  if (typeof first === 'number' && all.length !== first + 1) {
    yield {
      pointer: `${at}/crash/commits`,
      sentence: `has ${all.length} members; a recovery of ${first} commits needs ${first + 1}, one for each kill from 0 to ${first}`,
    };
  }
  for (const [index, count] of all.entries())
    if (typeof count === 'number' && count > mostCommits)
      yield { pointer: `${at}/crash/commits/${index}`, sentence: `is more than ${mostCommits}, the most that a plan can name` };
}

/** How many processes there are decides what can be expected of their end. */
export function* membersMistakes(part: LooseCase | LooseArm, at: string): Generator<Mistake> {
  const count = processesOf(part);
  const { ended, members } = part.expect ?? {};
  if (count === null && ended === 'several')
    yield { pointer: `${at}/expect/ended`, sentence: 'expects "several" where one process acts' };
  if (count !== null && ended !== undefined && ended !== 'several')
    yield { pointer: `${at}/expect/ended`, sentence: `expects "${ended}" of several processes; it can only be "several"` };
  if (members === undefined || members === null) return;
  if (count === null)
    yield { pointer: `${at}/expect/members`, sentence: 'counts the answers of several processes where one acts' };
  const { completed, refused, failed } = members;
  if (typeof count !== 'number' || completed === undefined || refused === undefined || failed === undefined) return;
  if (completed + refused + failed !== count) {
    yield {
      pointer: `${at}/expect/members`,
      sentence: `counts ${completed + refused + failed} answers, but ${count} processes act`,
    };
  }
}

/** Null where one process acts; undefined where several do, and the plan does not say how many. */
function processesOf(part: LooseCase | LooseArm): number | undefined | null {
  const crash = 'crash' in part ? part.crash : undefined;
  if (crash?.model === 'race') return crash.racers;
  return crash?.model === 'zombie' ? 2 : null;
}

function* placeMistakes(checkpoint: string | undefined, pointer: string, subject: Subject | undefined): Generator<Mistake> {
  if (subject !== undefined && typeof checkpoint === 'string' && !subject.checkpoints.includes(checkpoint))
    yield { pointer, sentence: `names "${checkpoint}", which is no checkpoint of ${subject.name}` };
}

/** The names of the snapshots that an arm stands for besides its own; none where it says too little to tell. */
export function furtherNames({ id, crash }: LooseArm): string[] {
  if (typeof id !== 'string' || crash?.model !== 'crash-in-recovery') return [];
  const commits = arrayOf(crash.commits).filter((count) => Number.isInteger(count) && Number(count) >= 0);
  if (commits.length !== arrayOf(crash.commits).length || [...commitMistakes(crash, '')].length > 0) return [];
  const recovery = { snapshot: id, from: null, kill: null };
  const all = killedRecoveries(recovery, { commits: commits as number[], depth: crash.depth === 2 ? 2 : 1 });
  return all.map(({ snapshot }) => snapshot);
}
