/** What a script may put into an answer, and an answer as an endpoint writes it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Scripted {
  readonly text?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export interface Body {
  readonly content_type: string;
  readonly bytes: Buffer;
}
