/**
 * `build.json` → the inventory of the compiled files that ran: `{files: [{path, sha256, size}], key, source_sha256}`, JSON in any
 * layout. Each path is said once.
 */
import { EvidenceError } from '../errors.js';
import { decodeUtf8, type Json } from './canonical.js';
import { attempt, bytesOf, type Files, type Read } from './facts.js';
import { parseOneReading } from './one-reading.js';

export interface Build {
  readonly key: string;
  readonly source_sha256: string;
  readonly files: ReadonlySet<string>;
}

export function readBuild(files: Files): Read<Build> {
  return attempt('data/build.json', () => parse(parseOneReading(decodeUtf8(bytesOf(files, 'data/build.json')))));
}

function parse(value: Json): Build {
  const { key, source_sha256, files } = members(value, 'files,key,source_sha256');
  if (typeof key !== 'string' || key === '' || !isSha256(source_sha256) || !Array.isArray(files)) throw malformed('a member');
  const paths = files.map((file) => {
    const { path, sha256, size } = members(file, 'path,sha256,size');
    if (typeof path !== 'string' || path === '' || !isSha256(sha256) || !Number.isSafeInteger(size)) throw malformed('a file');
    return path;
  });
  const once = new Set(paths);
  if (once.size === 0 || once.size !== paths.length) throw malformed('the list of files');
  return { key, source_sha256, files: once };
}

function members(value: Json | undefined, names: string): Record<string, Json> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw malformed('a member');
  if (Object.keys(value).sort().join() !== names) throw malformed('the set of members');
  return value;
}

function isSha256(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function malformed(what: string): EvidenceError {
  return new EvidenceError('wrong-shape', `This is not the inventory of a build: ${what} does not fit.`);
}
