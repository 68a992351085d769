/**
 * G11: The manifest is the request: its three hashes name stored bytes, and they are the bytes that were sent.
 * Verified: the size of every offered item, estimated or counted again, what the compiler includes, the package rebuilt from the
 * inventory, the prompt rendered from stored contents, the body around them, and that requests with this key and body went to the
 * manifest's path, as JSON, under the fencing token of an attempt.
 * Not verified: model, system text and tools, which are the configuration's own; a request with another body (G19 names it).
 */
import type { Call, Compilation } from '../../model/calls/history.js';
import { compileInOrder, includedItems, isRequestBody, isSize, packageText, renderedText } from '../../model/calls/context.js';
import { groupBy, matchOf, sentIn, sentMatch } from '../../model/effects.js';
import { intentsOf } from '../../model/calls/intents.js';
import { tokenOf } from '../../model/provider-steps.js';
import { EvidenceError } from '../../errors.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Ledger } from '../../read/events.js';
import { sameJson } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { historyIn, plannedCalls } from './derived.js';

export const g11: CaseCheck = {
  guarantee: 'G11',
  sentence: 'The manifest is the request: its three hashes name stored bytes, and they are the bytes that were sent.',
  covers:
    'sizes of offered items, package, rendered context and request body rebuilt from the inventory; path, media type and fencing token of the requests with this key and body',
  doesNotCover: 'model, system text and tools of the request, which nothing here records',
  codes: ['manifest-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedManifests, (snapshot, say) => {
      const history = historyIn(snapshot);
      const ledger = need(snapshot.ledger);
      const sent = groupBy(sentIn(need(snapshot.receipts)), sentMatch);
      const tokens = groupBy(intentsOf(history), ({ match }) => match);
      const file = snapshot.file('state/ledger.sqlite');
      for (const compilation of history.compilations.values()) {
        const wrong = compiledWrong(compilation) ?? sizeWrong(compilation, ledger);
        if (wrong !== null) say('manifest-mismatch', wrong, { file, seq: compilation.compiled?.seq ?? null });
      }
      for (const call of history.calls.values()) {
        const wrongs = callWrong(call, history.compilations.get(call.compilationId), ledger);
        for (const wrong of [...wrongs, ...sentWrong(call, sent, tokens)])
          say('manifest-mismatch', wrong, { file, seq: call.manifest?.seq ?? null });
      }
      const ended = [...history.compilations.values()].filter(
        ({ compiled, failed }) => compiled !== undefined || failed !== undefined,
      );
      return ended.length + [...history.calls.values()].filter(({ manifest }) => manifest !== undefined).length;
    }),
};

/** Compilations that ended, and calls in a stage that only a manifest leads to. */
function plannedManifests(snapshot: Snapshot): number {
  const ended = (snapshot.planned.expect.compilations ?? []).filter(({ stage }) => stage !== 'requested');
  const without = new Set(['requested', 'preparation_failed', 'superseded']);
  return ended.length + plannedCalls(snapshot, ({ stage }) => !without.has(stage));
}

function compiledWrong({ requested, compiled, failed }: Compilation): string | null {
  const wanted = compileInOrder(requested);
  if (wanted === null) throw new EvidenceError('absent', 'The compiler is not known here.');
  if (compiled === undefined && failed === undefined) return null;
  if ((failed?.error ?? null) !== wanted.error) return 'The compilation did not end as its recorded inventory makes it.';
  if (compiled === undefined || wanted.error !== null) return null;
  const excluded = compiled.excluded.map(({ id }) => id);
  if (
    !sameJson(wanted.included, compiled.included_ids) ||
    !sameJson(wanted.excluded, excluded) ||
    wanted.tokens !== compiled.total_tokens
  ) {
    return 'The included items are not those that the recorded inventory makes.';
  }
  const isPackage = textSha256(packageText(requested, compiled.included_ids)) === compiled.context_package_sha256;
  return isPackage ? null : 'The context package is not the one that the recorded inventory makes.';
}

/** A content that is not stored is named by G8. */
function sizeWrong({ requested }: Compilation, { artifacts }: Ledger): string | null {
  const isWrong = requested.offered.some((item) => {
    const bytes = artifacts.get(item.content_sha256)?.bytes;
    return bytes !== undefined && !isSize(item, bytes);
  });
  return isWrong ? 'The size of an offered item is not that of its content.' : null;
}

function callWrong(call: Call, compilation: Compilation | undefined, { artifacts }: Ledger): string[] {
  const { manifest } = call;
  if (manifest === undefined || compilation?.compiled === undefined) return [];
  const wrong: string[] = [];
  if (manifest.context_package_sha256 !== compilation.compiled.context_package_sha256)
    wrong.push('The manifest names another package than the compilation.');
  const bytesOf = (hash: string): Uint8Array => {
    const artifact = artifacts.get(hash);
    if (artifact === undefined) throw new EvidenceError('absent', 'The bytes that the manifest names are not stored.');
    return artifact.bytes;
  };
  try {
    const rendered = renderedText(includedItems(compilation), manifest.renderer, bytesOf);
    if (rendered === null) return [...wrong, 'The renderer is not known here.'];
    if (textSha256(rendered) !== manifest.rendered_context_sha256)
      wrong.push('The rendered context is not the one that the package makes.');
    if (!isRequestBody(bytesOf(manifest.request_body_sha256), call.instruction, rendered)) {
      wrong.push('The request body is not made of the instruction and the rendered context.');
    }
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    wrong.push(error.message);
  }
  return wrong;
}

type Sent = ReturnType<typeof sentIn>[number];
type Intents = ReturnType<typeof intentsOf>;

/** Requests of an earlier runtime carry no fencing token. */
function sentWrong(
  { key, manifest }: Call,
  sent: ReadonlyMap<string, readonly Sent[]>,
  intents: ReadonlyMap<string, Intents>,
): string[] {
  if (manifest === undefined) return [];
  const match = matchOf(key, manifest.request_body_sha256);
  const lines = sent.get(match) ?? [];
  const seqs = new Set(intents.get(match)?.map(({ attempt }) => attempt.seq));
  const wrong: string[] = [];
  if (lines.some(({ path, method }) => path !== manifest.provider.path || method !== 'POST'))
    wrong.push('A request with this key and body went elsewhere than the manifest says.');
  if (lines.some(({ headers }) => headers['content-type'] !== 'application/json'))
    wrong.push('A request with this key and body was not sent as JSON.');
  if (lines.some(({ headers }) => headers['fencing-token'] !== undefined && !seqs.has(tokenOf({ headers }) ?? 0)))
    wrong.push('The fencing token of a request with this key and body is that of no attempt.');
  return wrong;
}
