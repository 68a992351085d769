/** Bytes as members of a JSON document: as text where they are UTF-8 to the letter, else in base64. Pure. */
import { utf8 } from './canonical.js';

export interface EncodedBody {
  readonly encoding: 'utf8' | 'base64';
  readonly data: string;
}

export function encoded(bytes: Buffer): EncodedBody {
  const text = utf8(bytes);
  return text === null ? { encoding: 'base64', data: bytes.toString('base64') } : { encoding: 'utf8', data: text };
}

export function decoded({ encoding, data }: EncodedBody): Buffer {
  return Buffer.from(data, encoding);
}
