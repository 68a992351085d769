import { describe, expect, it } from 'vitest';
import { Book } from '../testing/world.js';
import { readReceipts } from './receipts.js';

const book = new Book().open();
book.serve();
book.serve('answered', true);
const good = book.receiptBytes;
const lines = good.toString('utf8').split('\n').slice(0, -1);

const problemsOf = (text: string): string[] => readReceipts(Buffer.from(text)).problems.map(({ detail }) => detail);

describe('a receipt log', () => {
  it('is whole, and an empty one is too', () => {
    expect(readReceipts(good)).toMatchObject({ lineCount: 4, problems: [] });
    expect(readReceipts(good).requests.map(({ settled }) => settled?.effect?.replayed)).toEqual([false, true]);
    expect(readReceipts(Buffer.alloc(0))).toMatchObject({ lineCount: 0, problems: [], requests: [] });
  });

  it('refuses a splice that parses', () => {
    // The head of the first line with the tail of the third: valid JSON, canonical, of the right shape.
    const at = lines[0]?.indexOf('"peer_pid"') ?? 0;
    const spliced = (lines[0] ?? '').slice(0, at) + (lines[2] ?? '').slice(lines[2]?.indexOf('"peer_pid"'));
    expect(problemsOf([spliced, ...lines.slice(1), ''].join('\n'))).toContain('The line differs from its digest.');
  });

  it.each<[string, string, string]>([
    ['a line twice', [lines[0], ...lines, ''].join('\n'), 'The request was received before.'],
    ['a line gone', [...lines.slice(1), ''].join('\n'), 'A request is settled that was not received.'],
    ['the last line gone', [...lines.slice(0, 3), ''].join('\n'), 'Request 2 is not settled.'],
    ['the last line feed gone', lines.join('\n'), 'The last line is not ended.'],
    ['half a line', `${lines[0]?.slice(0, 50)}\n`, 'The text is not JSON.'],
    ['an empty line', `\n${good.toString('utf8')}`, 'The text is not JSON.'],
    ['CRLF', good.toString('utf8').replaceAll('\n', '\r\n'), 'The JSON is not in canonical form.'],
    ['another document', '{}\n', 'The line has not the shape of a receipt.'],
    [
      'the order turned',
      [...lines.slice(2), ...lines.slice(0, 2), ''].join('\n'),
      'Requests are not numbered from 1 without gaps.',
    ],
  ])('%s', (_what, text, detail) => expect(problemsOf(text)).toContain(detail));

  it('refuses bytes that are not UTF-8', () => {
    expect(readReceipts(Buffer.concat([good, Buffer.from([0xff, 0x0a])])).problems).toHaveLength(1);
  });
});
