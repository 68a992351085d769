/** What a caller says about a runtime when it opens one. Checked, and filled in, by `config.ts`. */
import type { RendererVersion } from '../core/request.js';
import type { TokenizerName } from '../core/tokens.js';
import type { ReconcileBy, RetryPolicy, Tool } from '../core/vocabulary.js';
import type { Transport } from '../wire/transport.js';
import type { CommitListener, CommitMode } from '../live/committer.js';

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
    /** Tools offered to the model, as they stand in the request body. Default: none. */
    tools?: readonly Tool[];
    /**
     * How the provider can be asked what became of a key: `lookup` tells what it knows, `fence` also refuses every earlier request of
     * the key from then on. Default `none`: an unknown effect is then for an operator.
     */
    reconcile?: ReconcileBy;
    /** Time for one whole response, in milliseconds. Default 120000. */
    timeoutMs?: number;
  };
  context: {
    budgetTokens: number;
    /** Version of the renderer `plain-sections`. Default 1. */
    rendererVersion?: RendererVersion;
    /** Measures the sizes of offered items. Default: they are estimated. */
    tokenizer?: TokenizerName;
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
