/**
 * What a generated mutant is made of. An operator finds the sites in a good bundle where it can break something; each site says what it breaks
 * (a class of fields of one document), where, and how. What must come of it is not the operator's affair: a table that is written by hand, from
 * the guarantees alone, has a row for each operator, document and class (`expected/`).
 */
import type { FindingCode } from '../../checks/check.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { Memory } from '../../read/memory.js';
import type { Tree } from '../../read/tree.js';
import type { Editor } from '../editor.js';

/** A bundle whose verdict is `valid`, read once; its values are never changed. */
export interface Good {
  readonly tree: Tree;
  readonly bundle: Bundle;
  readonly memory: Memory;
  /** Of every case, in the order of the plan. */
  readonly snapshots: readonly Snapshot[];
}

export interface Site {
  /** What is done: `another word`, `absent`, `line twice`, …; with the document and the field it finds the row. */
  readonly operator: string;
  /** What kind of file: `process.json`, or what is inside of one: `event attempt.started`, `record tool_result`. */
  readonly document: string;
  /** A path into it with `[]` for elements and `{}` for members of any name (`timeline[].what`); in parentheses what is no field: `(line)`, `(file)`. */
  readonly field: string;
  /** For people: file, and JSON path, line or entry. */
  readonly place: string;
  /** What is different about the place (who acted, how it ended). Places with different traits are chosen first, and rows may ask for some. */
  readonly traits: readonly string[];
  /** Breaks it and covers the traces, all but the bag's own lists, which are made good again afterwards. */
  apply(editor: Editor): void;
}

export interface Operator {
  readonly name: string;
  /** Cheap: thousands of sites are listed, and few are applied. */
  sites(good: Good): Iterable<Site>;
}

/** What must come of a mutant, by a person's decision. Rows of one field are tried in their order; the first that fits counts. */
export type Row = Condition & (Caught | Free | Unknown);

interface Condition {
  /** Only for these operators; for all where it is absent. */
  readonly of?: readonly string[];
  /** Only for places with all of these traits. `!trait`: without it. */
  readonly when?: readonly string[];
}

export interface Caught {
  /** At least one of them must be given. */
  readonly by: readonly FindingCode[];
  /** These may come too, and no other; `any` only where a whole piece of the evidence was put in the place of another. */
  readonly with?: readonly FindingCode[] | 'any';
}

/** Equivalent: an honest run of the same plan could have left this. Such a mutant must be found valid, or the verifier cries at honest runs. */
export interface Free {
  readonly free: string;
  /** The break may have left a trace elsewhere that it did not cover: then it may be rejected too, by these alone. */
  readonly or?: readonly FindingCode[];
}

/** An honest run could have left this, and it proves nothing: the verdict must be `unknown`, neither `valid` nor `invalid`. */
export interface Unknown {
  readonly unknown: string;
  readonly or?: readonly FindingCode[];
}

/**
 * By document, then by field. A field that ends with `*` stands for all that begin with it; the longest one that fits counts.
 */
export type Table = Readonly<Record<string, Readonly<Record<string, Row | readonly Row[]>>>>;
