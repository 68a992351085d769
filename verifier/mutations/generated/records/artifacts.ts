/**
 * What is kept beside the events: gone, under another media type, two under each other's hash, and with other bytes, whose new hash every event
 * follows that names them. What else was made of the bytes does not follow.
 */
import type { Event } from '../../../contract/types.js';
import { canonical, decodeUtf8, parseJson, type Json } from '../../../read/canonical.js';
import { fileSha256 } from '../../../read/hash.js';
import type { ArtifactRow } from '../../../read/ledger.js';
import type { Good, Operator, Site } from '../operator.js';
import { fewOf, traitsOf } from './events.js';
import { copiesIn, holdersOf, writeCopy, type Copy } from './ledger-copies.js';
import { renamed } from './rewrite.js';

interface ToldArtifact {
  readonly row: ArtifactRow;
  /** By the member that names it. */
  readonly kind: string;
  readonly copies: readonly Copy[];
  readonly traits: readonly string[];
  readonly where: string;
}

export const artifactBreaks: Operator = {
  name: 'artifacts',
  *sites(good) {
    for (const told of everyArtifact(good)) {
      const { row, copies } = told;
      const hash = row.sha256;
      yield siteOf(told, 'dropped', '(artifact)', (all) => void all.delete(hash));
      yield siteOf(told, 'another media type', '(artifact)', (all) => void all.set(hash, { ...row, media_type: 'text/html' }));
      const other = [...(copies[0]?.artifacts.values() ?? [])].find(
        ({ sha256, media_type: type }) => sha256 !== hash && type === row.media_type,
      );
      if (other !== undefined && copies.every(({ artifacts }) => artifacts.has(other.sha256)))
        yield siteOf(told, 'swapped with another', '(artifact)', (all) => {
          all.set(hash, { ...row, bytes: other.bytes });
          all.set(other.sha256, { ...other, bytes: row.bytes });
        });
      for (const [field, bytes] of otherBytes(row)) yield followed(told, field, bytes);
    }
  },
};

function siteOf(
  { kind, traits, where, copies, row }: ToldArtifact,
  operator: string,
  field: string,
  change: (all: Map<string, ArtifactRow>) => void,
  event: (one: Event) => Event = (one) => one,
): Site {
  return {
    operator,
    ...{ document: `artifact ${kind}`, field, traits },
    place: `${where} ${row.sha256.slice(0, 12)}`,
    apply(editor) {
      for (const copy of copies) {
        const artifacts = new Map(copy.artifacts);
        change(artifacts);
        writeCopy(editor, copy, { events: copy.events.map(event), artifacts });
      }
    },
  };
}

/** Its new hash in every event that named the old one. */
function followed(told: ToldArtifact, field: string, bytes: Buffer): Site {
  const sha256 = fileSha256(bytes);
  const hashes = new Map([[told.row.sha256, sha256]]);
  const site = siteOf(
    told,
    'other bytes',
    field,
    (all) => {
      all.delete(told.row.sha256);
      all.set(sha256, { ...told.row, sha256, bytes });
    },
    (one) => ({ ...one, payload: parseJson(renamed(canonical(one.payload), hashes)) as Event['payload'] }),
  );
  return { ...site, place: `${site.place} ${field}` };
}

/** A text with one letter more; a document with another value at each of its places. */
function otherBytes({ bytes, media_type: type }: ArtifactRow): [field: string, bytes: Buffer][] {
  const longer: [string, Buffer] = ['(bytes)', Buffer.concat([bytes, Buffer.from('x')])];
  if (type !== 'application/json') return [longer];
  let document: Json;
  try {
    document = parseJson(decodeUtf8(bytes));
  } catch {
    return [longer];
  }
  const changes = [...leavesOf(document, '')].map(([field, changed]): [string, Buffer] => [
    field,
    Buffer.from(canonical(changed)),
  ]);
  return [longer, ...changes];
}

/** Each leaf changed alone. Elements of a list are alike: the first is enough. */
function* leavesOf(value: Json, path: string): Generator<[path: string, changed: Json]> {
  if (Array.isArray(value)) {
    const [first, ...rest] = value;
    if (first === undefined) yield [path, ['another']];
    else for (const [inner, changed] of leavesOf(first, `${path}[]`)) yield [inner, [changed, ...rest]];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      for (const [inner, changed] of leavesOf(member, path === '' ? name : `${path}.${name}`))
        yield [inner, { ...value, [name]: changed }];
  } else yield [path, otherLeaf(value)];
}

function otherLeaf(value: string | number | boolean | null): Json {
  if (typeof value === 'string')
    return /^[0-9a-f]{64}$/.test(value) ? value.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) : `${value}x`;
  if (typeof value === 'number') return value + 1;
  return value === null ? 'another' : !value;
}

const kinds: Readonly<Record<string, string>> = {
  content_sha256: 'content',
  context_package_sha256: 'package',
  rendered_context_sha256: 'rendered context',
  request_body_sha256: 'request body',
  response_sha256: 'response',
  text_sha256: 'text',
  spec_sha256: 'spec',
  evidence_sha256: 'evidence',
};

function everyArtifact(good: Good): ToldArtifact[] {
  const all = good.bundle.cases.flatMap((one): ToldArtifact[] => {
    const copies = copiesIn(one);
    const seen = new Set<string>();
    return copies.flatMap((copy) =>
      [...copy.artifacts.values()]
        .filter(({ sha256 }) => !seen.has(sha256) && seen.add(sha256))
        .map((row) => ({
          row,
          kind: kindOf(copy, row),
          copies: holdersOf(copies, row.sha256),
          traits: traitsOf(good, copy.snapshot),
          where: `${copy.snapshot.caseId}/${copy.snapshot.name}`,
        })),
    );
  });
  return fewOf(all, ({ kind, traits }) => `${kind} ${traits.join(' ')}`);
}

/** The first member of an event that names it. */
function kindOf({ events }: Copy, { sha256 }: ArtifactRow): string {
  for (const { payload } of events) {
    const [, name] = new RegExp(`"([a-z0-9_]+)":"${sha256}"`).exec(canonical(payload)) ?? [];
    if (name !== undefined) return kinds[name] ?? name;
  }
  return 'nothing';
}
