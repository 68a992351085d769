/** What a runtime was told once, when it was opened. Types alone. */
import type { RendererVersion } from '../core/request.js';
import type { TokenizerName } from '../core/tokens.js';
import type { ReconcileBy, RetryPolicy, Tool } from '../core/vocabulary.js';
import type { Transport } from '../wire/transport.js';

/** The settings of one runtime, defaults filled in. */
export interface Config {
  url: string;
  model: string;
  system: string;
  /** Null where there are none. */
  tools: readonly Tool[] | null;
  honoursKey: boolean;
  reconcile: ReconcileBy;
  timeoutMs: number;
  budgetTokens: number;
  rendererVersion: RendererVersion;
  /** Null: sizes are estimated. */
  tokenizer: TokenizerName | null;
  retry: RetryPolicy;
  maxRequestBytes: number | null;
  transport: Transport;
}
