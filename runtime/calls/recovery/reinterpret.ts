/**
 * Reinterpret: read the stored response again. The provider is not needed, and earlier readings stay on record; the last one counts.
 *
 * A response that nobody has read is read by the version that the manifest names, or by the one asked for. One that was read is read
 * again only by a version that has not read it, and only until something was decided from it.
 */
import type { Committer } from '../live/committer.js';
import { interpretedDraft } from '../live/outcome.js';
import { recoveredBy } from '../live/stamp.js';
import { RecoveryRefused } from '../core/refusals.js';
import { RuntimeError } from '../../core/errors.js';
import { interpret, interpreterVersions, knownVersion, type InterpreterVersion } from '../core/interpret.js';
import type { CallRecord } from '../core/records.js';
import { act, appending, type Proposal } from './act.js';
import { demandDeciding, demandManifest, demandResponse } from './attempts.js';
import { cannot, demandCall } from './demand.js';
import type { Reinterpreted, ReinterpretOptions } from './options.js';

export function reinterpret(committer: Committer, callId: string, options: ReinterpretOptions): Reinterpreted {
  return act(committer, options, () => proposeReinterpret(committer, callId, options));
}

export function proposeReinterpret(
  committer: Committer,
  callId: string,
  { interpreterVersion }: ReinterpretOptions,
): Proposal<Reinterpreted> {
  const { call, projected } = demandCall(committer, callId, 'reinterpret');
  const { attempt, place } = demandDeciding(call);
  const version = demandVersion(call, interpreterVersion);
  const { seq, status, bytes } = demandResponse(committer, attempt);
  const isRead = attempt.interpretations.some(
    ({ seq: place, payload }) => place > seq && knownVersion(payload.interpreter) === version,
  );
  if (isRead)
    throw new RecoveryRefused(
      { on: callId, operation: projected.next_operation, hazard: 'unneeded' },
      `Version ${version} has read the response of ${callId} already. Next: ${projected.next_operation}.`,
    );
  const meaning = interpret(status, bytes, version);
  const { result, text, detail } = meaning;
  const draft = interpretedDraft(place, meaning, version, recoveredBy('reinterpret'));
  return appending(committer, [draft], () => ({ result, text, detail }));
}

function demandVersion(call: CallRecord, asked: number | undefined): InterpreterVersion {
  const { name, version } = demandManifest(call).interpreter;
  const known = knownVersion({ name, version: asked ?? version });
  if (known !== null) return known;
  if (asked !== undefined)
    throw new RuntimeError('input-invalid', `This program has the interpreter versions ${interpreterVersions.join(' and ')}.`);
  throw cannot(
    call.id,
    'reinterpret',
    `is to be read by the interpreter ${name} version ${version}, which this program does not have. Name one that it has.`,
  );
}
