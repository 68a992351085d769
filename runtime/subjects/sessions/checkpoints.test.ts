/** Every record type that a session can append is a listed place, in the contract and in the subject; a new type fails here first. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkpoints } from '../../contract/data.js';
import { recordTypes } from '../../sessions/core/records.js';
import { sessions } from './subject.js';

const { committed, read, any } = checkpoints['sessions/v1'];
const sorted = (names: readonly string[]): string[] => [...names].toSorted();
const here = new URL('.', import.meta.url);

test('the types of the code, the schemas, the checkpoints and the subject are the same', () => {
  const schemas = readdirSync(new URL('../../../evidence/schema/records', here)).map((file) => file.replace('.schema.json', ''));
  const subject = JSON.parse(readFileSync(new URL('subject.json', here), 'utf8')) as { checkpoints: string[] };
  expect(sorted(recordTypes)).toEqual(sorted(committed));
  // A lineage frame is written with what comes first, and is no place of its own.
  expect(sorted(schemas)).toEqual(sorted([...committed, 'lineage']));
  expect(sorted(subject.checkpoints)).toEqual(sorted([...committed, ...read, ...any]));
  expect(sorted(sessions.checkpoints)).toEqual(sorted(subject.checkpoints));
});
