import { describe, expect, it } from 'vitest';
import { canonical } from './canonical.js';
import { textSha256 } from './hash.js';
import { ProviderLog } from '../testing/provider.js';
import { Book } from '../testing/world.js';
import { readReceipts } from './receipts.js';

const book = new Book().open();
book.serve({});
book.serve({}, { replayed: true });
const good = book.provider.bytes;
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

describe('a request that was on its way', () => {
  const sent = { body: Buffer.from('{}'), token: 5 };
  const arriving = (change: (line: Record<string, unknown>) => object = (line) => line, at = 1): string => {
    const log = new ProviderLog();
    log.delay(sent);
    log.arriveFenced(sent);
    return log.lines
      .map(({ digest: _digest, ...rest }, index) => (index === at ? change(rest) : rest))
      .map((rest) => `${canonical({ ...rest, digest: textSha256(canonical(rest)) })}\n`)
      .join('');
  };

  it('is none of the requests until it arrives, and then the one that left', () => {
    const whole = readReceipts(Buffer.from(arriving()));
    expect(whole.problems).toEqual([]);
    expect(whole.delayed).toMatchObject([{ line: { delayed: 1, peer_pid: 1000 }, arrival: { received: { request: 1 } } }]);
    expect(whole.requests).toHaveLength(1);
    const waiting = readReceipts(Buffer.from(arriving().split('\n')[0] + '\n'));
    expect(waiting).toMatchObject({ problems: [], requests: [], delayed: [{ arrival: undefined }] });
  });

  it.each<[string, string, string]>([
    ['never left', arriving((line) => ({ ...line, delayed: 2 })), 'A request arrives that was never on its way.'],
    [
      'left as the second',
      arriving((line) => ({ ...line, delayed: 2 }), 0),
      'Delayed requests are not numbered from 1 without gaps.',
    ],
    [
      'arrives with another token',
      arriving((line) => ({ ...line, headers: { ...(line.headers as object), 'fencing-token': '6' } })),
      'A request arrives as another one than that which left.',
    ],
    [
      'arrives from a client',
      arriving((line) => ({ ...line, peer_pid: 7 })),
      'A request that arrives late has no client any more.',
    ],
  ])('%s', (_what, text, detail) => expect(problemsOf(text)).toContain(detail));

  it('arrives once', () => {
    const log = new ProviderLog();
    log.delay(sent);
    log.arriveFenced(sent);
    log.arriveFenced(sent);
    expect(problemsOf(log.bytes.toString('utf8'))).toEqual(['A request arrives that had arrived before.']);
  });
});

it('tells questions from requests by their path, whatever becomes of them', () => {
  const log = new ProviderLog();
  log.serve({ body: Buffer.from('{}') });
  log.ask({ path: '/keys/key-1', request: 'a'.repeat(64), status: 404, body: '{}' });
  log.ask({ path: '/keys/key-1/fence', token: 3, request: 'a'.repeat(64), status: 501, body: '{}' });
  log.ask({ path: '/keys/', request: 'a'.repeat(64), status: 404, body: '{}' });
  const { all, requests, questions, problems } = readReceipts(log.bytes);
  expect([all.length, requests.length, questions.length, problems]).toEqual([4, 1, 3, []]);
});
