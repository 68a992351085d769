/** Databases of a few pages that lead to one another so often that whoever follows them never comes to an end. */
import Database from 'better-sqlite3';

const pageBytes = 4096;

/** A page of a table that holds no rows and leads to one page over and over. */
function interiorPage(leadsTo: number): Buffer {
  const page = Buffer.alloc(pageBytes);
  const cells = 400;
  page.writeUInt8(5, 0);
  page.writeUInt16BE(cells, 3);
  page.writeUInt16BE(pageBytes - cells * 5, 5);
  page.writeUInt32BE(leadsTo, 8);
  for (let at = 0; at < cells; at += 1) {
    const place = pageBytes - (at + 1) * 5;
    page.writeUInt16BE(place, 12 + at * 2);
    page.writeUInt32BE(leadsTo, place);
    page.writeUInt8(1, place + 4);
  }
  return page;
}

/** Sixteen floors of four hundred doors each, all to the same room below, and in the end to the rows that were there. */
export function tower(bytes: Buffer): Buffer {
  const root = rootOf(bytes, 'events');
  const floors = 16;
  const pages = bytes.length / pageBytes;
  const added = Array.from({ length: floors }, (_floor, at) =>
    interiorPage(at === floors - 1 ? pages + floors + 1 : pages + at + 2),
  );
  const rows = Buffer.from(bytes.subarray((root - 1) * pageBytes, root * pageBytes));
  const all = Buffer.concat([bytes, ...added, rows]);
  interiorPage(pages + 1).copy(all, (root - 1) * pageBytes);
  all.writeUInt32BE(all.length / pageBytes, 28);
  return all;
}

/** The page that holds the schema leads to a page that leads to it: whoever opens the database reads it without end. */
export function schemaTower(bytes: Buffer): Buffer {
  const pages = bytes.length / pageBytes;
  const floors = 12;
  const moved = Buffer.alloc(pageBytes);
  // What lies in the first page lies behind the header of the file; its cells keep their places.
  bytes.copy(moved, 0, 100, 108);
  const cells = bytes.readUInt16BE(103);
  bytes.copy(moved, 8, 108, 108 + cells * 2);
  const content = bytes.readUInt16BE(105);
  bytes.copy(moved, content, content, pageBytes);
  const added = Array.from({ length: floors }, (_floor, at) =>
    interiorPage(at === floors - 1 ? pages + floors + 1 : pages + at + 2),
  );
  const all = Buffer.concat([bytes, ...added, moved]);
  const first = interiorPage(pages + 1);
  // One door is enough at the beginning.
  all.fill(0, 100, pageBytes);
  all.writeUInt8(5, 100);
  all.writeUInt16BE(0, 103);
  all.writeUInt16BE(pageBytes, 105);
  first.copy(all, 108, 8, 12);
  all.writeUInt32BE(all.length / pageBytes, 28);
  return all;
}

function rootOf(bytes: Buffer, table: string): number {
  const db = new Database(Buffer.from(bytes));
  const root = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number;
  db.close();
  return root;
}
