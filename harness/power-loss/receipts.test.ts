import { describe, expect, it } from 'vitest';
import { receiptLinesAt, receivedIn } from './receipts.js';

const request = (item: number, key: string, path = '/v1') => ({ item, method: 'POST', path, key });
const received = (key: string, path = '/v1') => ({ method: 'POST', path, key });

describe('the receipts at a cut', () => {
  it('are those of the beginning, and those of requests that had left', () => {
    const own = [received('a'), null, received('b'), null];
    const requests = [request(3, 'a'), request(7, 'b')];
    expect([2, 3, 6, 7].map((cut) => receiptLinesAt(cut, requests, 4, own))).toEqual([4, 6, 6, 8]);
  });

  it('end with the first one that had not left, by method, path and key, as often as it occurs', () => {
    const again = [received('a'), null, received('a'), null];
    expect(receiptLinesAt(9, [request(3, 'a')], 0, again)).toBe(2);
    expect(receiptLinesAt(9, [request(3, 'a', '/other')], 0, again)).toBe(0);
    expect(receiptLinesAt(9, [request(3, 'a'), request(4, 'a')], 0, again)).toBe(4);
  });

  it('are read of the lines that received', () => {
    expect(receivedIn('{"idempotency_key":null,"kind":"received","method":"GET","path":"/keys/a"}')).toEqual({
      method: 'GET',
      path: '/keys/a',
      key: '',
    });
    expect(receivedIn('{"kind":"settled"}')).toBeNull();
  });
});
