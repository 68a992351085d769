/**
 * The sums of a write-ahead log by a naive hand, for the target and for a seed. Without the verifier: seeds are made before its
 * contract is.
 */
export interface Sums {
  first: number;
  second: number;
}

export function add(sums: Sums, bytes: Buffer, isLittle: boolean): void {
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const word = (place: number): number => (isLittle ? bytes.readUInt32LE(place) : bytes.readUInt32BE(place));
    sums.first = (sums.first + word(at) + sums.second) >>> 0;
    sums.second = (sums.second + word(at + 4) + sums.first) >>> 0;
  }
}

/** What lies where in a log whose header names a size of pages that there is. */
export function pageSizeOf(log: Buffer): number {
  const size = log.length < 32 ? 0 : log.readUInt32BE(8);
  return [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536].includes(size) ? size : 0;
}

export function withSums(told: Buffer): Buffer {
  const log = Buffer.from(told);
  const pageSize = pageSizeOf(log);
  if (pageSize === 0) return log;
  log.writeUInt32BE(log.readUInt8(3) % 2 === 0 ? 0x377f0682 : 0x377f0683, 0);
  log.writeUInt32BE(3_007_000, 4);
  const isLittle = log.readUInt32BE(0) === 0x377f0682;
  const sums: Sums = { first: 0, second: 0 };
  const put = (at: number): void => void (log.writeUInt32BE(sums.first, at), log.writeUInt32BE(sums.second, at + 4));
  add(sums, log.subarray(0, 24), isLittle);
  put(24);
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    log.copy(log, at + 8, 16, 24);
    add(sums, log.subarray(at, at + 8), isLittle);
    add(sums, log.subarray(at + 24, at + 24 + pageSize), isLittle);
    put(at + 16);
  }
  return log;
}
