/** Edits of one field of a canonical document to every other legal value that its schema knows a name for. */
import { canonical, decodeUtf8, parseJson, type Json } from '../../../read/canonical.js';
import type { Editor } from '../../editor.js';
import { others } from '../another-value.js';
import { shuffled } from '../choose.js';
import { placesOf, replaced, type At } from '../fields.js';
import type { Good, Site } from '../operator.js';

export interface Document {
  /** As rows name it. */
  readonly document: string;
  /** As the contract names its schema. */
  readonly schema: string;
  readonly file: string;
  readonly traits: readonly string[];
  /** For documents that several files hold, or a file with several lines. */
  readonly put?: (editor: Editor, changed: Json) => void;
  readonly value?: Json;
  /** What is different about one element among others. */
  readonly traitsAt?: (at: At, value: Json) => readonly string[];
}

/** Of documents with the same traits so many are looked into. */
const looked = 3;

/** Where documents are alike in what they are, a few of them are enough. */
export function someOf<T extends Document>(documents: readonly T[]): T[] {
  const seen = new Map<string, number>();
  return shuffled(documents, 'documents', ({ file }) => file).filter(({ document, traits }) => {
    const kind = [document, ...traits].join(' ');
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= looked;
  });
}

export function* fieldSites({ tree }: Good, one: Document, isOurs: (field: string) => boolean = () => true): Generator<Site> {
  const { document, schema, file, traits, put } = one;
  const value = one.value ?? parseJson(decodeUtf8(tree.files.get(file) ?? Buffer.from('null')));
  for (const { path, node, isOptional, at, value: old } of placesOf(schema, value)) {
    if (!isOurs(path)) continue;
    for (const { did, value: other } of others(node, old, isOptional)) {
      yield {
        operator: did,
        ...{ document, field: path, traits: [...traits, ...(one.traitsAt?.(at, value) ?? []), ...wordIn(did, other)] },
        place: `${file} ${pathOf(at)}`,
        apply(editor) {
          const changed = replaced(value, at, other);
          if (put === undefined) editor.files.set(file, Buffer.from(`${canonical(changed)}\n`, 'utf8'));
          else put(editor, changed);
        },
      };
    }
  }
}

function pathOf(at: At): string {
  return at
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** Each word is a place of its own. */
function wordIn(did: string, value: Json | undefined): string[] {
  return did === 'another word' && typeof value === 'string' ? [`to:${value}`] : [];
}
