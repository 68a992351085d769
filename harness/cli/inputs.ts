/** What a person states or gives on the command line, as the input of the operation. What a file holds is checked by the role. */
import { Option, type Command } from 'commander';
import { userInfo } from 'node:os';
import { HarnessError } from '../errors.js';
import { limits, readPlainFile } from '../io/read.js';
import { positive } from './options.js';

/** The options of all operations; each command has some of them. */
export interface Given {
  by?: string;
  note?: string;
  finding?: string;
  response?: string;
  status?: number;
  contentType?: string;
  lookup?: boolean;
  fence?: boolean;
  reject?: boolean;
  duplicate?: boolean;
  interpreter?: number;
  inputs?: string;
}

export function addStatementOptions(command: Command): Command {
  return addPersonOptions(command)
    .addOption(new Option('--finding <what>', 'state yourself what became of it').choices(['served', 'not_served', 'unknown']))
    .option('--response <file>', 'with --finding served: the body that the provider sent')
    .option('--status <n>', 'its status (default: 200)', positive)
    .option('--content-type <type>', 'its content type');
}

export function addPersonOptions(command: Command): Command {
  return command
    .option('--by <name>', 'who says so (default: your login name)')
    .option('--note <text>', 'why you say so, which is needed and recorded');
}

export function addAskOptions(command: Command): Command {
  return command
    .addOption(new Option('--lookup', 'ask the provider by the key of the call').conflicts(['fence', 'finding']))
    .addOption(new Option('--fence', 'ask it to refuse the key from now on').conflicts('finding'));
}

export function addSendingOptions(command: Command): Command {
  return command
    .option('--provider <url>', "the provider's URL; needed to send")
    .option('--scenario <file>', 'the settings of today (default: those on record)');
}

export function asked({ lookup, fence }: Given): object | null {
  if (fence) return { ask: 'fence' };
  return lookup ? { ask: 'lookup' } : null;
}

export function statement(given: Given): object | null {
  const { finding, response, status, contentType } = given;
  const details = Object.entries({ response, status, 'content-type': contentType }).filter(([, value]) => value !== undefined);
  const [stray] = response === undefined ? details : finding === 'served' ? [] : details;
  if (stray !== undefined) {
    const missing = response === undefined && stray[0] !== 'response' ? '--response' : '--finding served';
    throw new HarnessError('usage', `--${stray[0]} tells of a response: it goes with ${missing}.`);
  }
  if (finding === undefined) return asked(given);
  if (response === '') throw empty('--response');
  const told = { ...person(given), finding };
  if (response === undefined) return told;
  return { ...told, response: { status: status ?? 200, content_type: contentType ?? null, body: textOf(response) } };
}

export function judgement(given: Given): object {
  return { ...person(given), ...(given.duplicate ? {} : { judgement: given.reject ? 'rejected' : 'accepted' }) };
}

export function fixedInputs({ inputs = '' }: Given): object {
  if (inputs === '') throw empty('--inputs');
  return readJsonFile(inputs) as object;
}

/** A file that a person named; what is in it is checked by the role. */
export function readJsonFile(path: string): unknown {
  const text = textOf(path);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HarnessError('usage', `${path} is not JSON: ${(cause as Error).message}.`, { cause });
  }
}

function person({ by, note }: Given): { by: string; note: string } {
  // The record takes a note without a word. Of a person it is asked all the same: nobody can add the reason later.
  if (note === undefined) throw new HarnessError('usage', 'Say why with --note, which is recorded.');
  if (note.trim() === '') throw empty('--note');
  return { by: nameOf(by), note };
}

/** Who says so: by the name that was given, or by that of the login. */
export function nameOf(by: string | undefined): string {
  if (by === '') throw empty('--by');
  return by ?? loginName();
}

/** A line was pasted before its variables were set: nobody meant to record or read nothing. */
export function empty(option: string): HarnessError {
  return new HarnessError('usage', `${option} is empty. Is the variable that should hold it set?`);
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    throw new HarnessError('usage', 'This system knows no name for you; say who you are by --by.', { cause });
  }
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readPlainFile(path, limits.plan));
  } catch (cause) {
    const why = cause instanceof TypeError ? 'it is not UTF-8 text' : (cause as Error).message;
    throw new HarnessError('usage', `${path} cannot be read: ${why}.`, { cause });
  }
}
