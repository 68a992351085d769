/** A signed statement as others see it, without the packages that wrote it: JSON in a file, and the bytes that were signed. */
import { readFileSync, writeFileSync } from 'node:fs';

export interface SignedFile {
  mediaType: string;
  dsseEnvelope: { payload: string; payloadType: string; signatures: { keyid: string; sig: string }[] };
  verificationMaterial: { publicKey?: { hint: string }; certificate?: { rawBytes: string } };
}
export const fileAt = (path: string): SignedFile => JSON.parse(readFileSync(path, 'utf8')) as SignedFile;

export function edit(path: string, change: (file: SignedFile) => void): void {
  const file = fileAt(path);
  change(file);
  writeFileSync(path, JSON.stringify(file));
}

/** The bytes that DSSE signs, by the words of its specification. */
export function preAuthEncoding(type: string, body: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), body]);
}
