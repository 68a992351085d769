/** What a caller says about a session when it opens one. Checked, and filled in, by `config.ts`. */
import type { Frame } from '../core/records.js';
import type { Decision } from '../core/vocabulary.js';

export interface SessionTool {
  name: string;
  /** Default empty. */
  description?: string;
  /** Members of the object that a call carries; others are refused. Default: none. */
  arguments?: readonly { name: string; type: 'string' | 'integer' | 'boolean'; required: boolean }[];
  /** `http`: POST to `<provider URL>/effects/<effect>`. `command`: a program and its arguments, without a shell. */
  kind: 'http' | 'command';
  effect?: string | null;
  argv?: readonly string[] | null;
  /** Default `side_effect`. */
  safety?: 'side_effect' | 'idempotent' | 'pure';
  /** `required`: a person is asked for each call. `blocked`: never dispatched. Default `never`. */
  approval?: 'never' | 'required' | 'blocked';
  /** `continue`: a call of which nobody can know does not stop the run; not with a side effect. Default `interrupt`. */
  onUnknown?: 'interrupt' | 'continue';
  /** Time for one whole call, in milliseconds. Default 120000. */
  timeoutMs?: number;
}

/** Frozen with each run that is started under it. */
export interface SessionConfig {
  model: string;
  /** The system message. Default empty. */
  system?: string;
  /** In the order in which they are offered. Default: none. */
  tools?: readonly SessionTool[];
  /** How the calls of one step are dispatched. Default `sequential`. */
  batch?: 'sequential' | 'parallel';
  /** Model steps of a run. Default 16. */
  maxSteps?: number;
  /** `rerun` (default): a model step that was cut off is run again. `intent`: it is on record before it is sent, and never sent again. */
  modelLeg?: 'rerun' | 'intent';
  /** Attempts of one model step in one process. Default 1. */
  modelAttempts?: number;
  /** Time for one whole response, in milliseconds. Default 120000. */
  modelTimeoutMs?: number;
  /** Record when calls were dispatched, ended and put off. Default false. */
  times?: boolean;
  /** Version of the renderer `chat-messages`. Default 2. */
  renderVersion?: number;
  /** False: the requests of a run are not frozen, so no other process can resume it. Default true. */
  freeze?: boolean;
}

/** What a person says of a call that waits for an answer. */
export interface ApprovalAnswer {
  /** Key of the call, as the state and `PendingApproval` give it. This, or `toolCallId`. */
  key?: string;
  /** Id of the call in the last step. The model chose it, and a later step may use it again: the key is safer. */
  toolCallId?: string;
  decision: Decision;
  by: string;
}

export interface SessionOptions {
  /** Needed to create a session; else held against the one on record. */
  sessionId?: string;
  /** Create the session where the folder is absent or empty. Default false. */
  create?: boolean;
  /** Default: that of the last run on record. A resume refuses one that is not the recorded one. */
  config?: SessionConfig | null;
  /** `http://host:port/prefix`. Without one nothing can be sent, and no HTTP tool is available. */
  providerUrl?: string | null;
  /** `grouped` (default): a barrier is one sync. `each`: every record is a barrier of its own. */
  commit?: 'grouped' | 'each';
  /** At most 1 GiB, which is the default. */
  ceilingBytes?: number | null;
  /** Variables that tools of kind `command` get beside a few of this process (`PATH`, `HOME` and the like). Never recorded. Default: none. */
  toolEnvironment?: Readonly<Record<string, string>>;
  /** Where the feature floor is. Default: the session's folder. */
  floorFolder?: string | null;
  /** Called synchronously after each synced barrier, with what became durable. It may steer, queue, retract, approve and cancel. */
  onCommitted?: (frames: readonly Frame[]) => void;
}
