/**
 * Breaks of the provider's log. A line is changed in the log of the snapshot that added it and in every log that continues that one; digests and
 * seals are made good again, and where lines come or go the numbers of lines too.
 */
import { modelOf } from '../../../checks/all.js';
import type { Receipt } from '../../../contract/types.js';
import { decodeUtf8, canonical, parseJson, type Json } from '../../../read/canonical.js';
import { fileSha256, textSha256 } from '../../../read/hash.js';
import type { Snapshot } from '../../../read/bundle.js';
import type { Editor, Mutable } from '../../editor.js';
import { shuffled } from '../choose.js';
import type { Good, Operator, Site } from '../operator.js';
import { traitsOfSnapshot } from '../traits.js';
import { fieldSites, type Document } from './json.js';

type Line = Mutable<Receipt>;

/** Of snapshots with the same traits so many are looked into, and of each so many lines of a kind. */
const [snapshotsLooked, linesLooked] = [2, 2];

export const receiptOperators: readonly Operator[] = [
  {
    name: 'fields of receipts',
    sites: (good) => ownLinesOf(good).flatMap((own) => [...fieldsOf(good, own), ...forgeriesOf(good, own)]),
  },
  { name: 'lines of receipts', sites: (good) => ownLinesOf(good).flatMap((own) => [...structureOf(good, own)]) },
];

interface Own {
  readonly snapshot: Snapshot;
  readonly index: number;
  readonly line: Receipt;
  readonly traits: readonly string[];
}

/** Lines that a snapshot added, some of each kind. */
function ownLinesOf(good: Good): Own[] {
  const { bundle, snapshots } = good;
  const seen = new Map<string, number>();
  const take = (kind: string, most: number): boolean => {
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= most;
  };
  return shuffled(snapshots, 'receipts', ({ caseId, name }) => `${caseId}/${name}`).flatMap((snapshot) => {
    const inherited = snapshot.base?.receipts.value?.lineCount ?? 0;
    const lines = linesIn(bundle.tree.files.get(snapshot.file('receipts.jsonl')));
    const traits = traitsOfSnapshot(bundle, snapshot);
    if (lines.length === inherited || !take(traits.join(' '), snapshotsLooked)) return [];
    const own = lines.map((line, index): Own => ({
      ...{ snapshot, index, line },
      traits: [...traits, ...traitsOfLine(lines, index), ...keptOf(good, snapshot, line, lines)],
    }));
    return own.slice(inherited).filter((one) => take([snapshot.name, snapshot.caseId, ...one.traits].join(' '), linesLooked));
  });
}

function traitsOfLine(lines: readonly Receipt[], index: number): string[] {
  const line = lines[index];
  if (line === undefined) return [];
  const received = lines.find((one) => line.kind !== 'delayed' && one.kind === 'received' && one.request === line.request);
  const path = line.kind === 'settled' ? (received?.kind === 'received' ? received.path : '') : line.path;
  const kindOfPath = path.startsWith('/keys/') ? 'question' : path.startsWith('/effects/') ? 'effect-request' : 'model-request';
  return [
    `line:${line.kind}`,
    kindOfPath,
    ...(index === 0 ? ['first-line'] : []),
    ...(index === lines.length - 1 ? ['last-line'] : []),
    ...(line.kind === 'settled'
      ? [line.ended, ...(line.effect === null ? ['no-effect'] : line.effect.replayed ? ['replay'] : ['own-effect'])]
      : []),
    ...(line.kind === 'received' && line.delayed !== undefined ? ['arrival'] : []),
    ...(line.kind !== 'settled' && line.peer_pid === null ? ['no-peer'] : []),
    ...(line.kind !== 'settled' && line.body.data === '' ? ['empty-body'] : []),
    ...(line.kind === 'settled' && line.status !== 200 ? ['not-200'] : []),
  ];
}

/** What records hold of an answer, who sent a request, and whether the plan counts him. */
function keptOf(good: Good, snapshot: Snapshot, line: Receipt, lines: readonly Receipt[]): string[] {
  const model = modelOf(good.bundle);
  const holders = holdersOf(good, snapshot);
  if (line.kind === 'settled') {
    const hash = line.response_sha256 ?? '';
    const isKept = holders.some(
      (one) => model.responseKept(one, hash) !== undefined || model.answersKept(one).has(hash) || isInLog(one, hash),
    );
    return isKept ? ['kept'] : [];
  }
  const peers = (all: readonly Receipt[]): number =>
    new Set(all.flatMap((one) => (one.kind === 'received' && isEffect(one) ? (one.peer_pid ?? []) : []))).size;
  const isCounted = peers(lines) !== peers(lines.filter((one) => one !== line));
  const isPlanned = holders.some(({ planned }) => planned.expect.processes !== undefined);
  return [
    ...(line.kind === 'received' && line.delayed === undefined && model.isOfChild(snapshot, line) ? ['of-child'] : []),
    ...(isCounted && isPlanned ? ['counted-peer'] : []),
    ...(line.kind === 'delayed' && holders.some((one) => arrives(one, line.delayed)) ? ['arrives'] : []),
  ];
}

/** A session keeps of an answer its text, or the hash of its bytes. */
function isInLog({ log }: Snapshot, hash: string): boolean {
  return (log.value?.records ?? []).some(({ type, payload }) => {
    if (type === 'tool_result') return payload.outcome === 'completed' && textSha256(payload.output ?? '') === hash;
    return type === 'model_attempt_finished' && JSON.stringify(payload).includes(hash);
  });
}

function arrives({ receipts }: Snapshot, number: number): boolean {
  return receipts.value?.all.some(({ received }) => received.delayed === number) === true;
}

function isEffect({ path }: { path: string }): boolean {
  return !path.startsWith('/keys/');
}

function fieldsOf(good: Good, { snapshot, index, line, traits }: Own): Iterable<Site> {
  const document: Document = {
    ...{ document: 'receipts.jsonl', schema: 'receipt', file: `${snapshot.file('receipts.jsonl')} line ${index + 1}`, traits },
    value: line as unknown as Json,
    traitsAt: ([member, name]) => (member === 'headers' && typeof name === 'string' ? [`header:${name}`] : []),
    put: (editor, changed) =>
      inEachLog(good, editor, snapshot, index, (lines) => {
        lines[index] = changed as unknown as Line;
        return lines;
      }),
  };
  // The digest is made good again, and the number of a line is where it stands.
  return fieldSites(good, document, (field) => !field.endsWith('.digest'));
}

/** A line changed in more than one place, as a forger would who knows what is held against what. */
function* forgeriesOf(good: Good, { snapshot, index, line, traits }: Own): Generator<Site> {
  if (line.kind === 'settled') return;
  const site = (operator: string, field: string, change: (line: Exclude<Line, { kind: 'settled' }>) => void): Site => ({
    ...{ operator, document: 'receipts.jsonl', field: `<${line.kind}>.${field}`, traits },
    place: `${snapshot.file('receipts.jsonl')} line ${index + 1}`,
    apply: (editor) =>
      inEachLog(good, editor, snapshot, index, (lines) => {
        const changed = structuredClone(line) as Exclude<Line, { kind: 'settled' }>;
        change(changed);
        lines[index] = changed;
        return lines;
      }),
  });
  if (line.idempotency_key !== null && line.headers['idempotency-key'] !== undefined) {
    yield site('another key, header in step', 'idempotency_key', (changed) => {
      changed.idempotency_key = `${line.idempotency_key}x`;
      changed.headers['idempotency-key'] = changed.idempotency_key;
    });
  }
  if (line.body.encoding === 'utf8' && line.body.data !== '') {
    yield site('another body, hash and length in step', 'body.data', (changed) => {
      changed.body.data = `${line.body.data} `;
      changed.body_sha256 = textSha256(changed.body.data);
      if (changed.headers['content-length'] !== undefined)
        changed.headers['content-length'] = String(Buffer.byteLength(changed.body.data));
    });
  }
}

function* structureOf(good: Good, { snapshot, index, line, traits }: Own): Generator<Site> {
  const site = (operator: string, field: string, change: (lines: Line[]) => Line[]): Site => ({
    ...{ operator, document: 'receipts.jsonl', field, traits, place: `${snapshot.file('receipts.jsonl')} line ${index + 1}` },
    apply: (editor) => inEachLog(good, editor, snapshot, index, change),
  });
  yield site('line deleted', '(line)', (lines) => lines.toSpliced(index, 1));
  yield site('line twice', '(line)', (lines) => lines.toSpliced(index, 0, structuredClone(line)));
  yield site('lines swapped', '(line)', (lines) => swapped(lines, index));
  yield site('cut before the line', '(line)', (lines) => lines.slice(0, index));
  if (line.kind !== 'received') return;
  yield site('request deleted', '(request)', (lines) => renumbered(lines.filter((one) => numberOf(one) !== line.request)));
  yield site('request twice', '(request)', (lines) => {
    const both = lines.filter((one) => numberOf(one) === line.request);
    const again = structuredClone(both);
    const last = lines.findLastIndex((one) => numberOf(one) === line.request);
    for (const one of again) if (one.kind !== 'delayed') one.request = 1_000_000;
    return renumbered(timed(lines.toSpliced(last + 1, 0, ...again)));
  });
}

function numberOf(line: Line): number | null {
  return line.kind === 'delayed' ? null : line.request;
}

function swapped(lines: readonly Line[], index: number): Line[] {
  const [one, other] = [lines[index], lines[index + 1]];
  return one === undefined || other === undefined ? [...lines] : lines.toSpliced(index, 2, other, one);
}

/** The clock never goes back: a line that came to stand behind a later one takes its time. */
function timed(lines: readonly Line[]): Line[] {
  let clock = 0n;
  return lines.map((line) => {
    clock = BigInt(line.monotonic_ns) > clock ? BigInt(line.monotonic_ns) : clock;
    return { ...line, monotonic_ns: String(clock) };
  });
}

/** Requests and effects numbered from 1 without gaps again, in the order in which they stand. */
function renumbered(lines: readonly Line[]): Line[] {
  const requests = new Map<number, number>();
  const effects = new Map<string, string>();
  return lines.map((line) => {
    if (line.kind === 'delayed') return line;
    if (line.kind === 'received') requests.set(line.request, requests.size + 1);
    const request = requests.get(line.request) ?? line.request;
    if (line.kind === 'received' || line.effect === null) return { ...line, request };
    const { effect_id: id, replayed } = line.effect;
    const known = replayed ? (effects.get(id) ?? id) : `effect-${effects.size + 1}`;
    if (!replayed) effects.set(effects.has(id) ? `${id} again` : id, known);
    return { ...line, request, effect: { ...line.effect, effect_id: known } };
  });
}

/** In the log of the snapshot, and in all that continue it and hold the line. */
function inEachLog(good: Good, editor: Editor, snapshot: Snapshot, index: number, change: (lines: Line[]) => Line[]): void {
  const digest = linesIn(editor.files.get(snapshot.file('receipts.jsonl')))[index]?.digest;
  for (const holder of holdersOf(good, snapshot)) {
    const file = holder.file('receipts.jsonl');
    const lines = linesIn(editor.files.get(file));
    // What carries on from a power loss may have a line of its own in that place.
    if (lines[index]?.digest !== digest) continue;
    const changed = change(lines);
    const isMoved = changed.length !== lines.length;
    const written = changed.map((line, at) => {
      const { digest: _digest, ...rest } = isMoved ? { ...line, seq: at + 1 } : line;
      return `${canonical({ ...rest, digest: textSha256(canonical(rest)) })}\n`;
    });
    const bytes = Buffer.from(written.join(''), 'utf8');
    editor.files.set(file, bytes);
    const record = holder.file(holder.planned.crash === null ? 'process.json' : 'group.json');
    editor.json<{ receipts: unknown }>(record, (value) => {
      value.receipts = { bytes: bytes.length, lines: changed.length, sha256: fileSha256(bytes) };
    });
  }
}

function linesIn(bytes: Buffer | undefined): Line[] {
  if (bytes === undefined || bytes.length === 0) return [];
  return decodeUtf8(bytes)
    .slice(0, -1)
    .split('\n')
    .map((line) => parseJson(line) as unknown as Line);
}

function holdersOf({ snapshots }: Good, { caseId, name }: Snapshot): Snapshot[] {
  return snapshots.filter((one) => one.caseId === caseId && one.lineage.some((before) => before.name === name));
}
