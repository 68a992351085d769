/**
 * The plan replaced after the fact: a field of it changed, and the execution record names the new bytes. Where the run goes on claiming its
 * commit, the commit holds another plan. Where it claims none, it is an exploratory run of the new plan, and what is expected there must be so.
 */
import { canonical, parseJson, decodeUtf8 } from '../../../read/canonical.js';
import { fileSha256 } from '../../../read/hash.js';
import { others } from '../another-value.js';
import { placesOf, replaced } from '../fields.js';
import type { Good, Operator, Site } from '../operator.js';

const file = 'data/plan.json';

function* planSites({ tree }: Good): Generator<Site> {
  const value = parseJson(decodeUtf8(tree.files.get(file) ?? Buffer.from('null')));
  for (const { path, node, isOptional, at, value: old } of placesOf('plan', value)) {
    for (const { did, value: other } of others(node, old, isOptional)) {
      const isExpected = /\bexpect\b/.test(path);
      yield {
        ...{ operator: did, document: 'plan.json', field: path, traits: ['claims-commit'], place: `${file} ${at.join('.')}` },
        apply(editor) {
          const bytes = Buffer.from(`${canonical(replaced(value, at, other))}\n`, 'utf8');
          editor.files.set(file, bytes);
          editor.execution((execution) => void (execution.plan.sha256 = fileSha256(bytes)));
        },
      };
      // What is predicted besides may be true.
      if (!isExpected || did === 'added') continue;
      yield {
        ...{ operator: did, document: 'plan.json', field: path, traits: ['claims-no-commit'], place: `${file} ${at.join('.')}` },
        apply: (editor) =>
          editor.plan((plan) => {
            const changed = replaced(value, at, other) as object;
            for (const name of Object.keys(plan)) delete (plan as Record<string, unknown>)[name];
            Object.assign(plan, changed);
          }),
      };
    }
  }
}

export const planOperators: readonly Operator[] = [{ name: 'the plan', sites: planSites }];
