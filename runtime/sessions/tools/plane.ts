/**
 * The tool plane: takes one call to its tool, once, and tells an outcome that is never better than proved.
 *
 * Whoever dispatches has made the intent durable before; a plane never retries.
 */
import { constants, accessSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SharedTool } from '../../contract/types.js';
import { canonical } from '../../core/canonical.js';
import { dispatchCommand, type CommandEnvironment } from './command.js';
import { dispatchHttp } from './http.js';
import type { Outcome, ToolCallToSend } from './outcome.js';

export type { Outcome, ToolCallToSend } from './outcome.js';

export interface ToolPlane {
  /** Whether there is anything that could take a call of this tool; asked before a call is planned. */
  available(tool: SharedTool): boolean;
  /** At most one call of the tool. Never rejects. */
  dispatch(call: ToolCallToSend): Promise<Outcome>;
}

/** HTTP tools below the provider's URL, and local commands. Without a URL no HTTP tool is available. */
export function toolPlane(
  providerUrl: string | null,
  { environment = {} }: { environment?: CommandEnvironment } = {},
): ToolPlane {
  return {
    available: ({ kind, argv }) => (kind === 'http' ? providerUrl !== null : isProgram(argv?.[0] ?? '')),
    dispatch: async (call) => {
      if (call.signal.aborted) return { outcome: 'not_sent', detail: 'the run was stopped before' };
      try {
        if (call.tool.kind === 'command')
          return await dispatchCommand(call, bodyOf(call), { url: providerUrl, given: environment });
        if (providerUrl === null) return { outcome: 'not_sent', detail: 'there is no provider URL' };
        return await dispatchHttp(call, bodyOf(call), providerUrl);
      } catch (error) {
        // What was thrown proves nothing about the call.
        return { outcome: 'unknown', detail: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** The same bytes for every kind of tool. */
function bodyOf({ tool, arguments: given }: ToolCallToSend): Buffer {
  return Buffer.from(canonical({ arguments: given, tool: tool.name }));
}

/** Looked for as the system does: a name without a slash in the folders of PATH. */
function isProgram(name: string): boolean {
  const folders = name.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => mayBeRun(join(folder, name)));
}

function mayBeRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
