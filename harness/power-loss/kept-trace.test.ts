import { describe, expect, it } from 'vitest';
import { keptTrace } from './kept-trace.js';

const watched = {
  pid: 7,
  folders: ['/data/state'],
  answers: ['/data/answer.json'],
  volatile: ['lease.sqlite'],
  prefix: '/p/secret',
};
const kept = (...raw: string[]): string[] => [...keptTrace(raw, watched)];

describe('the items of a trace', () => {
  it('are the calls on durable files that succeeded, without a path of this machine', () => {
    expect(
      kept(
        '7 openat(AT_FDCWD</home/me>, "/data/state/a", O_RDWR|O_CREAT, 0644) = 18</data/state/a>',
        '7 openat(AT_FDCWD</data/state>, "b", O_RDONLY) = 19</data/state/b>',
        '7 openat(20</data/state>, "c", O_RDONLY) = 21</data/state/c>',
        '7 openat(AT_FDCWD</home/me>, "/data/state/gone", O_RDONLY) = -1 ENOENT (No such file or directory)',
        '7 openat(AT_FDCWD</home/me>, "/data/state/lease.sqlite", O_RDWR) = 22</data/state/lease.sqlite>',
        '7 pwrite64(22</data/state/lease.sqlite>, "/data/state/a", 13, 0) = 13',
        '7 pwrite64(18</data/state/a>, "/data/state/a", 13, 0) = 13',
        '7 write(9</data/state-other/a>, "/data/state/a", 13) = 13',
        '7 fcntl(18</data/state/a>, F_SETLK, {l_type=F_RDLCK, l_whence=SEEK_SET, l_start=1, l_len=1}) = 0',
        '7 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 18</data/state/a>, 0) = 0x7f',
        '7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE, 18</data/state/a>, 0) = 0x7f',
        '7 close(18</data/state/a>) = 0',
        '7 unlink("/data/state/a") = 0',
        '7 fsync(19</data/state/a>(deleted)) = 0',
        '8 +++ exited with 0 +++',
        '7 +++ exited with 0 +++',
      ),
    ).toEqual([
      '7 openat(AT_FDCWD, "<state>/a", O_RDWR|O_CREAT, 0644) = 18<<state>/a>',
      '7 openat(AT_FDCWD, "<state>/b", O_RDONLY) = 19<<state>/b>',
      '7 openat(20<<state>>, "<state>/c", O_RDONLY) = 21<<state>/c>',
      '7 pwrite64(18<<state>/a>, "/data/state/a", 13, 0) = 13',
      '7 unlink("<state>/a") = 0',
      '7 fsync(19<<state>/a>(deleted)) = 0',
      '7 +++ exited with 0 +++',
    ]);
  });

  it('are found where the role works in its state folder, too', () => {
    expect(
      kept(
        '7 unlink("b") = 0',
        '7 openat(AT_FDCWD</data/state>, "a", O_RDONLY) = 18</data/state/a>',
        '7 unlink("a") = 0',
        '7 rename("../elsewhere", "/data/state/b") = 0',
        '7 openat(AT_FDCWD</data>, "a", O_RDONLY) = -1 ENOENT (No such file or directory)',
        '7 unlink("a") = 0',
        '7 unlink("state/b") = 0',
      ),
    ).toEqual([
      '7 openat(AT_FDCWD, "<state>/a", O_RDONLY) = 18<<state>/a>',
      '7 unlink("<state>/a") = 0',
      '7 rename("<outside>", "<state>/b") = 0',
      '7 unlink("<state>/b") = 0',
    ]);
  });

  it('keep what no model knows, so that it cannot be missed', () => {
    expect(
      kept(
        '7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 18</data/state/a>, 0) = 0x7f',
        '7 rename("/data/state/a", "/data/state/lease.sqlite") = 0',
        '7 rename("/elsewhere/a", "/data/state/a") = 0',
        '9 fsync(18</data/state/a>) = 0',
        '7 io_uring_setup(64, {flags=0}) = 30<anon_inode:[io_uring]>',
      ),
    ).toEqual([
      '7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 18<<state>/a>, 0) = 0x7f',
      '7 rename("<state>/a", "<state>/lease.sqlite") = 0',
      '7 rename("<outside>", "<state>/a") = 0',
      '9 fsync(18<<state>/a>) = 0',
      '7 io_uring_setup(64, {flags=0}) = 30<anon_inode:[io_uring]>',
    ]);
  });

  it('stand where their calls were entered', () => {
    expect(
      kept(
        '7 fsync(18</data/state/a> <unfinished ...>',
        '8 fsync(19</data/state/b> <unfinished ...>',
        '8 <... fsync resumed>)              = 0',
        '7 <... fsync resumed>)              = 0',
        '8 fsync(19</data/state/b> <unfinished ...>',
      ),
    ).toEqual(['7 fsync(18<<state>/a>) = 0', '8 fsync(19<<state>/b>) = 0', '8 fsync(19<<state>/b>) = ?']);
  });

  it('are the entry of each request to the provider, once, without the prefix', () => {
    const head = (target: string): string => `POST ${target} HTTP/1.1\\r\\nHost: x\\r\\nIdempotency-Key: key-16 \\r\\n\\r\\n`;
    expect(
      kept(
        `7 writev(24<socket:[1]>, [{iov_base="${head('/p/secret/v1/chat')}", iov_len=90}, {iov_base="{}", iov_len=2}], 2) = 92`,
        `7 write(24<socket:[1]>, "${head('/p/secret/again')}", 90) = -1 EAGAIN (Resource temporarily unavailable)`,
        `7 write(24<socket:[1]>, "${head('/p/secret/again')}", 90) = -1 EPIPE (Broken pipe)`,
        `7 sendto(24<TCP:[127.0.0.1:1->127.0.0.1:2]>, "GET /p/secret/keys/k HTTP/1.1\\r\\n\\r\\n", 40, 0, NULL, 0) = 40`,
        `9 write(24<socket:[1]>, "${head('/p/secret/of-a-tool')}", 90) = 90`,
        `7 write(24<socket:[1]>, "${head('/p/other/v1')}", 90) = 90`,
        `7 write(24<pipe:[1]>, "${head('/p/secret/v1')}", 90) = 90`,
        '7 write(24<socket:[1]>, "\\x50\\x4f\\x53\\x54\\x20\\x2f\\x70\\x2f\\x73\\x65\\x63\\x72\\x65\\x74\\x2f\\xc3\\x20\\x48\\x54\\x54\\x50\\x2f\\x31\\x2e\\x31\\x0d\\x0a\\x0d\\x0a", 29) = 29',
      ),
    ).toEqual([
      '7 request("POST", "/v1/chat", "key-16") = ?',
      '7 request("POST", "/again", "key-16") = ?',
      '7 request("GET", "/keys/k", "") = ?',
      '7 request("POST", "/of-a-tool", "key-16") = ?',
      '7 request("POST", "\\x2f\\xc3", "") = ?',
    ]);
  });

  it('are the entry of the first write of the answer', () => {
    expect(
      kept(
        '7 openat(AT_FDCWD</>, "/data/answer.json.new", O_WRONLY|O_CREAT, 0666) = 18</data/answer.json.new>',
        '7 write(18</data/answer.json.new>, "{", 1) = 1',
        '7 write(18</data/answer.json.new>, "}", 1) = 1',
      ),
    ).toEqual(['7 answer() = ?']);
  });
});
