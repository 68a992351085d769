/**
 * The options of a runtime, checked before anything is opened, and the defaults filled in.
 *
 * All of it ends in a manifest, a request or a timer. A mistake found there would be found after a call was recorded, so every one
 * is found here, also where the caller's types were not checked.
 */
import { canonical } from '../../core/canonical.js';
import { demand, demandMembers, type Members } from '../../core/demands.js';
import { rendererVersions } from '../core/request.js';
import { tokenizerNames } from '../core/tokens.js';
import type { ReconcileBy, RetryPolicy, Tool } from '../core/vocabulary.js';
import { httpTransport } from '../wire/chat-completions.js';
import type { Config } from '../live/config.js';
import type { RuntimeOptions } from './options.js';

/** A longer timer would fire at once. */
const timeoutMsMax = 2 ** 31 - 1;
const reconcileBy: readonly ReconcileBy[] = ['none', 'lookup', 'fence'];

const optionMembers = Object.keys({
  directory: true,
  create: true,
  provider: true,
  context: true,
  retry: true,
  maxRequestBytes: true,
  commit: true,
  transport: true,
  onCommitted: true,
} satisfies Members<RuntimeOptions>);
const providerMembers = Object.keys({
  url: true,
  model: true,
  system: true,
  honoursKey: true,
  tools: true,
  reconcile: true,
  timeoutMs: true,
} satisfies Members<RuntimeOptions['provider']>);
const contextMembers = Object.keys({
  budgetTokens: true,
  rendererVersion: true,
  tokenizer: true,
} satisfies Members<RuntimeOptions['context']>);
const retryMembers = Object.keys({
  max_attempts: true,
  retry_statuses: true,
  retry_not_sent: true,
  retry_broken_if_key_honoured: true,
} satisfies Members<RetryPolicy>);

export function configFrom(options: RuntimeOptions): Config {
  demandMembers('options', options, optionMembers, '');
  const { provider, context, create } = options;
  demandMembers('provider', provider, providerMembers);
  demandMembers('context', context, contextMembers);
  demand(create === undefined || typeof create === 'boolean', 'create is neither true nor false.');
  const config: Config = {
    url: provider.url,
    model: provider.model,
    system: provider.system ?? '',
    tools: copied(provider.tools),
    honoursKey: provider.honoursKey ?? false,
    reconcile: provider.reconcile ?? 'none',
    timeoutMs: provider.timeoutMs ?? 120_000,
    budgetTokens: context.budgetTokens,
    rendererVersion: context.rendererVersion ?? 1,
    tokenizer: context.tokenizer ?? null,
    retry: retryPolicy(options.retry ?? {}),
    maxRequestBytes: options.maxRequestBytes ?? null,
    transport: options.transport ?? httpTransport,
  };
  demandUrl(config.url);
  demandText('provider.model', config.model);
  demandText('provider.system', config.system);
  demand(typeof config.honoursKey === 'boolean', 'provider.honoursKey is neither true nor false.');
  demandTools(config.tools);
  demand(reconcileBy.includes(config.reconcile), `provider.reconcile is one of ${reconcileBy.join(', ')}.`);
  demand(
    config.tokenizer === null || tokenizerNames.includes(config.tokenizer),
    `context.tokenizer is one of ${tokenizerNames.join(', ')}.`,
  );
  demand(isCount(config.timeoutMs, 1, timeoutMsMax), `provider.timeoutMs is not between 1 and ${timeoutMsMax}.`);
  demand(isCount(config.budgetTokens), 'context.budgetTokens is not a count.');
  demand(
    rendererVersions.includes(config.rendererVersion),
    `The renderer has the versions ${rendererVersions.join(' and ')}, not ${config.rendererVersion}.`,
  );
  demand(config.maxRequestBytes === null || isCount(config.maxRequestBytes), 'maxRequestBytes is not a count.');
  demand(
    options.commit === undefined || options.commit === 'each' || options.commit === 'grouped',
    'commit is "each" or "grouped".',
  );
  demand(typeof config.transport === 'function', 'transport is not a function.');
  demand(options.onCommitted === undefined || typeof options.onCommitted === 'function', 'onCommitted is not a function.');
  return config;
}

/** The folder as a path that names it alone: an empty one would be the working directory. */
export function demandDirectory(directory: string): void {
  demandText('directory', directory);
  demand(directory !== '' && !directory.includes('\0'), 'directory is not a path.');
}

/** A copy, or null where there are none; what is no list is left for the demand to refuse. */
function copied(tools: readonly Tool[] | undefined): readonly Tool[] | null {
  if (!Array.isArray(tools)) return tools ?? null;
  return tools.length === 0 ? null : structuredClone(tools);
}

/** A copy: a recorded policy must not change with the caller's object. */
function retryPolicy(wanted: Partial<RetryPolicy>): RetryPolicy {
  demandMembers('retry', wanted, retryMembers);
  const { max_attempts = 1, retry_statuses = [], retry_not_sent = false, retry_broken_if_key_honoured = false } = wanted;
  demand(isCount(max_attempts, 1), 'retry.max_attempts counts the first attempt too, so it is at least 1.');
  demand(
    Array.isArray(retry_statuses) && retry_statuses.every((status) => isCount(status, 100, 999)),
    'retry.retry_statuses holds HTTP statuses.',
  );
  for (const [name, flag] of Object.entries({ retry_not_sent, retry_broken_if_key_honoured }))
    demand(typeof flag === 'boolean', `retry.${name} is neither true nor false.`);
  return { max_attempts, retry_broken_if_key_honoured, retry_not_sent, retry_statuses: [...retry_statuses] };
}

/** Says no more of a URL than it must: it may hold a password. */
function demandUrl(url: string): void {
  demand(
    typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url),
    "The provider's URL is not an http or https URL.",
  );
  const { username, password } = new URL(url);
  demand(
    username === '' && password === '' && !/[?#]/.test(url),
    "The provider's URL holds credentials, a query or a fragment; a path is appended to it, and it is never recorded.",
  );
}

/** Tools are hashed with the request, so they hold what can be hashed. */
function demandTools(tools: readonly Tool[] | null): void {
  if (tools === null) return;
  const isObject = (tool: unknown): boolean => typeof tool === 'object' && tool !== null && !Array.isArray(tool);
  demand(Array.isArray(tools) && tools.every(isObject), 'provider.tools is not a list of objects.');
  canonical(tools);
}

export function demandText(name: string, text: string): void {
  demand(typeof text === 'string' && text.isWellFormed(), `${name} is not well-formed Unicode text.`);
}

function isCount(value: number, least = 0, most: number = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most && !Object.is(value, -0);
}
