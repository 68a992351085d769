/**
 * What a role process is told: environment variables in, one typed value out, every mistake in one sentence.
 *
 * A mistake here ends the process with exit code 64 before anything was opened, sent or written.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export type Role = 'produce' | 'inspect' | 'resume' | 'restart';

export interface Environment {
  role: Role;
  state: string;
  out: string;
  nonce: string;
  /** Null for `inspect`, which needs no provider, and for a resume that nobody gave one. */
  providerUrl: string | null;
  /** Null where none is needed or given: then the settings are those on record. */
  scenario: unknown;
  armed: { name: string; occurrence: number } | null;
  scratch: string | null;
  /** `resume`: what to carry out; null where nothing is named. */
  operation: string | null;
  /** The id that the operation concerns; null for the one that the record names. */
  on: string | null;
  /** What a person states or gives, as parsed; null where there is none. */
  input: unknown;
  dryRun: boolean;
}

/** Refused input of a role: exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function readEnvironment(
  role: Role,
  { checkpoints, resumesByRecord }: { checkpoints: readonly string[]; resumesByRecord: boolean },
  variables: NodeJS.ProcessEnv = process.env,
): Environment {
  const optional = (name: string): string | null => variables[name] || null;
  const required = (name: string): string => {
    const value = optional(name);
    if (value === null) throw new UsageError(`${name} is not set; the role ${role} needs it.`);
    return value;
  };
  const inspecting = role === 'inspect';
  const operation = role === 'resume' ? optional('KILLPOINT_OPERATION') : null;
  // What is resumed can go by the settings on record; every other role asks for what its scenario says.
  const byRecord = role === 'resume' && (operation !== null || resumesByRecord);
  const given = (name: string): string | null => (inspecting ? null : byRecord ? optional(name) : required(name));
  const providerUrl = given('KILLPOINT_PROVIDER_URL');
  const scenario = given('KILLPOINT_SCENARIO');
  const [on, input] = [optional('KILLPOINT_ON'), optional('KILLPOINT_INPUT')];
  if (operation === null && (on !== null || input !== null))
    throw new UsageError(
      'KILLPOINT_ON and KILLPOINT_INPUT belong to an operation of resume, and KILLPOINT_OPERATION names none.',
    );
  return {
    role,
    state: required('KILLPOINT_STATE'),
    out: inFolder('KILLPOINT_OUT', required('KILLPOINT_OUT')),
    nonce: optional('KILLPOINT_NONCE') ?? '',
    providerUrl: providerUrl === null ? null : url('KILLPOINT_PROVIDER_URL', providerUrl),
    scenario: scenario === null ? null : readJson('KILLPOINT_SCENARIO', scenario),
    armed: armedPlace(optional('KILLPOINT_CHECKPOINT'), checkpoints, optional('KILLPOINT_NONCE')),
    scratch: inspecting ? required('KILLPOINT_SCRATCH') : null,
    operation,
    on,
    input: input === null ? null : readJson('KILLPOINT_INPUT', input),
    dryRun: optional('KILLPOINT_DRY_RUN') === '1',
  };
}

function armedPlace(text: string | null, checkpoints: readonly string[], nonce: string | null): Environment['armed'] {
  if (text === null) return null;
  const { name = '', occurrence = '' } = /^(?<name>.+)#(?<occurrence>[1-9]\d{0,8})$/.exec(text)?.groups ?? {};
  if (name === '') throw new UsageError(`KILLPOINT_CHECKPOINT is ${JSON.stringify(text)}, not name#occurrence.`);
  if (!checkpoints.includes(name))
    throw new UsageError(`The checkpoint ${name} is not one of this subject: ${checkpoints.join(', ')}.`);
  if (nonce === null) throw new UsageError('KILLPOINT_NONCE is not set, so the checkpoint could not be announced as ours.');
  return { name, occurrence: Number(occurrence) };
}

/** Found missing only at the end, the folder of the answer would cost the answer of work that was done. */
function inFolder(variable: string, path: string): string {
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`${variable} names ${path}, and there is no such folder.`);
  return path;
}

function url(variable: string, text: string): string {
  if (!URL.canParse(text)) throw new UsageError(`${variable} is not a URL.`);
  return text;
}

function readJson(variable: string, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path)));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${variable} names ${path}, which cannot be read as JSON: ${why}.`);
  }
}
