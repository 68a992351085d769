/** The bytes of a write-ahead log of SQLite, from its file format: frames that a test wants, with sums that are right. */
type Frame = readonly [page: number, pagesAfterCommit: number, content: Buffer];

export function walOf(pageSize: number, frames: readonly Frame[]): Buffer {
  const header = Buffer.alloc(32);
  [0x377f0682, 3_007_000, pageSize, 0, 7, 9].forEach((word, at) => header.writeUInt32BE(word, at * 4));
  const sums = { first: 0, second: 0 };
  add(sums, header.subarray(0, 24));
  put(sums, header, 24);
  const parts = frames.map(([page, pagesAfterCommit, content]) => {
    const head = Buffer.alloc(24);
    [page, pagesAfterCommit, 7, 9].forEach((word, at) => head.writeUInt32BE(word, at * 4));
    add(sums, head.subarray(0, 8));
    add(sums, content);
    put(sums, head, 16);
    return Buffer.concat([head, content]);
  });
  return Buffer.concat([header, ...parts]);
}

interface Sums {
  first: number;
  second: number;
}

function add(sums: Sums, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += 8) {
    sums.first = (sums.first + bytes.readUInt32LE(at) + sums.second) >>> 0;
    sums.second = (sums.second + bytes.readUInt32LE(at + 4) + sums.first) >>> 0;
  }
}

function put({ first, second }: Sums, bytes: Buffer, at: number): void {
  bytes.writeUInt32BE(first, at);
  bytes.writeUInt32BE(second, at + 4);
}
