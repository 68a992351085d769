/** What a person states or gives, checked before anything is proposed: a caller's types may not have been. Whatever is well-formed is recorded as it is. */
import { demand, demandMembers } from '../../core/demands.js';
import { isObject } from '../../core/untrusted-json.js';
import type { AcceptedBy, FixedCall, Statement } from './options.js';

const findings: readonly Statement['finding'][] = ['served', 'not_served', 'unknown'];

export function demandStatement(statement: Statement): void {
  demandSigned('A statement', statement);
  demandMembers('A statement', statement, ['by', 'finding', 'note', 'response'], 'statement.');
  const { finding, response } = statement;
  demand(findings.includes(finding), `A statement finds one of ${findings.join(', ')}.`);
  if (response === undefined) return;
  demand(finding === 'served', 'A response is stated only of a request that was served.');
  demand(isObject(response), 'A response is an object of status, content type and bytes.');
  demandMembers('A response', response, ['status', 'contentType', 'bytes'], 'response.');
  const { status, contentType, bytes } = response;
  demand(Number.isInteger(status) && status >= 100 && status <= 999, 'The status of a response is from 100 to 999.');
  demand(contentType === null || isText(contentType), 'The content type of a response is text or null.');
  demand(bytes instanceof Uint8Array, 'The bytes of a response are bytes.');
}

export function demandDecision(decision: AcceptedBy): void {
  demandSigned('A decision', decision);
  demandMembers('A decision', decision, ['by', 'note'], 'decision.');
}

export function demandFixedCall(inputs: FixedCall): void {
  demand(isObject(inputs), 'The inputs of a call are an object.');
  demandMembers('The inputs', inputs, ['instruction', 'compilationId'], 'inputs.');
  const { instruction, compilationId } = inputs;
  demand(instruction === undefined || (isText(instruction) && instruction !== ''), 'An instruction is text, and not empty.');
  demand(compilationId === undefined || isText(compilationId), 'The id of a compilation is text.');
}

function demandSigned(what: string, said: AcceptedBy): void {
  demand(isObject(said), `${what} is an object of by and note.`);
  const { by, note } = said;
  demand(isText(by) && by !== '', `${what} says by whom it is.`);
  demand(isText(note), `The note of ${what.toLowerCase()} is text, perhaps empty.`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}
