import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesIn, descriptorIn, lengthIn, quoted, readCall } from './strace-text.js';

describe('a call in the words of a tracer', () => {
  it('is read with its arguments, whatever stands in a text or a path', () => {
    expect(readCall('7 pwrite64(9</a, (b)/s>, "a\\", 1) = 2", 10, 4096)   = 10')).toEqual({
      pid: 7,
      name: 'pwrite64',
      args: ['9</a, (b)/s>', '"a\\", 1) = 2"', '10', '4096'],
      result: '10',
    });
    expect(readCall('7 writev(24<socket:[1]>, [{iov_base="a, b", iov_len=4}, {iov_base="c", iov_len=1}], 2) = 5')?.args).toEqual([
      '24<socket:[1]>',
      '[{iov_base="a, b", iov_len=4}, {iov_base="c", iov_len=1}]',
      '2',
    ]);
    expect(readCall('7 sync()                            = 0')).toEqual({ pid: 7, name: 'sync', args: [], result: '0' });
    expect(readCall('7 unlink("/s/a") = -1 ENOENT (No such file or directory)')?.result).toBe(
      '-1 ENOENT (No such file or directory)',
    );
  });

  it('has the result ? where it never returned', () => {
    expect(readCall('7 fsync(9</s/a>)                      = ?')?.result).toBe('?');
    expect(readCall('7 fsync(9</s/a>')).toEqual({ pid: 7, name: 'fsync', args: ['9</s/a>'], result: '?' });
  });

  it('is nothing else', () => {
    for (const line of ['7 +++ exited with 0 +++', '7 --- SIGCHLD {si_signo=SIGCHLD} ---', '', 'fsync(3) = 0'])
      expect(readCall(line)).toBeNull();
  });
});

describe('a descriptor', () => {
  it('has its number and its path, deleted or not', () => {
    expect(descriptorIn('23</s/ledger.sqlite-wal>')).toEqual({ number: '23', path: '/s/ledger.sqlite-wal' });
    expect(descriptorIn('23</s/a>(deleted)')).toEqual({ number: '23', path: '/s/a' });
    expect(descriptorIn('AT_FDCWD</home/me>')).toEqual({ number: 'AT_FDCWD', path: '/home/me' });
    expect(descriptorIn('23')).toBeNull();
  });
});

describe('a quoted text', () => {
  it('is the bytes that were quoted', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (array) => {
        const bytes = Buffer.from(array);
        expect(bytesIn(quoted(bytes))).toEqual(bytes);
        expect(lengthIn(quoted(bytes))).toBe(bytes.length);
      }),
    );
    expect(bytesIn('"\\0\\177\\1a\\x0fz"')).toEqual(Buffer.from([0, 0o177, 1, 0x61, 0x0f, 0x7a]));
  });

  it('that was cut is none', () => {
    expect(bytesIn('"abc"...')).toBeNull();
    expect(lengthIn('"abc"...')).toBeNull();
    expect(bytesIn('NULL')).toBeNull();
  });
});
