/** What a caller says about a runtime when it opens one. Checked, and filled in, by `config.ts`. */
import type { RendererVersion } from '../core/request.js';
import type { RetryPolicy } from '../core/vocabulary.js';
import type { Transport } from '../wire/transport.js';
import type { CommitListener, CommitMode } from './committer.js';

export interface RuntimeOptions {
  /** The state folder. */
  directory: string;
  /** Create the folder where it is absent or empty. Default false: a missing folder is an error, never an empty start. */
  create?: boolean;
  provider: {
    /** `http://host:port/prefix`, without credentials, query or fragment; `/v1/chat/completions` is appended. */
    url: string;
    model: string;
    /** The system message. Default empty. */
    system?: string;
    /** Declares that the provider answers a repeated idempotency key without a second effect. Default false. */
    honoursKey?: boolean;
    /** Time for one whole response, in milliseconds. Default 120000. */
    timeoutMs?: number;
  };
  context: {
    budgetTokens: number;
    /** Version of the renderer `plain-sections`. Default 1. */
    rendererVersion?: RendererVersion;
  };
  /** Default: one attempt, nothing retried. */
  retry?: Partial<RetryPolicy>;
  /** A larger request is not sent; its failure is recorded. Default: no limit. */
  maxRequestBytes?: number;
  /** `grouped` (default): two syncs per completed call. `each`: one per event. */
  commit?: CommitMode;
  /** Sends one request; default HTTP. It must never retry by itself. */
  transport?: Transport;
  /** Called synchronously after each commit, when the events are durable. It may read, but not act; what it throws undoes nothing. */
  onCommitted?: CommitListener;
}
