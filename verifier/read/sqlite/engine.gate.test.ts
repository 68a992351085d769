/** Without an engine less is found, and never something else: a sample of the breaks of a good bundle, judged with one and without. */
import { expect, it } from 'vitest';
import { operatorList } from '../../mutations/corrupt.js';
import { Editor } from '../../mutations/editor.js';
import { goodBundle } from '../../testing/bundle.js';
import { verify } from '../../verdict.js';
import { Memory } from '../memory.js';
import { noEngine } from './engine.js';

/** Each of them is tried where there is an engine; here it is the rule that counts, for every family of checks. */
const every = 9;

it('a broken bundle is never valid without an engine, and each finding is one that an engine gives too', () => {
  const good = goodBundle();
  const [withEngine, withoutEngine] = [new Memory(), new Memory(() => noEngine)];
  const found = { with: 0, without: 0 };
  for (const { name, apply } of operatorList('calls/v1').filter((_operator, index) => index % every === 0)) {
    const editor = new Editor(good, withEngine);
    if (!apply(editor)) continue;
    editor.repin();
    const whole = verify(editor.tree, withEngine).verdict;
    const less = verify(editor.tree, withoutEngine).verdict;
    expect(less.verdict, name).not.toBe('valid');
    const known = new Set(whole.findings.map((finding) => JSON.stringify(finding)));
    const more = less.findings.filter((finding) => !known.has(JSON.stringify(finding)));
    expect(more, name).toEqual([]);
    found.with += Number(whole.verdict === 'invalid');
    found.without += Number(less.verdict === 'invalid');
  }
  // What the bag, the receipts and the processes say needs none.
  expect(found.without).toBeGreaterThan(found.with / 4);
  expect(found.without).toBeLessThan(found.with);
}, 120_000);
