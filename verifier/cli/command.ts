/**
 * `verify <bundle>`, `verify --explain <code>` and `corrupt <bundle>`. Reads, judges, prints, and leaves with the exit code that says the same as the JSON.
 * Every error of the argument library is a usage error (64); whatever else escapes is an internal error (70), never a verdict.
 */
import { InputError, SignatureError } from '../errors.js';
import { verifyCommand, type Streams } from './actions.js';
import { exitCodes } from './exit.js';
import { shown, shownLines } from './shown.js';

/** Never throws; returns the exit code. */
export async function command(args: readonly string[], streams: Streams): Promise<number> {
  try {
    // What every harness and gate asks for needs no library to be understood, and is answered a tenth sooner without one.
    const rest = args[0] === 'verify' ? args.slice(1) : args;
    const [bundle, json] = rest;
    const plain = rest.length === 2 && bundle !== undefined && /^[./]/.test(bundle) && json === '--json';
    return plain ? await verifyCommand(bundle, true, streams) : await (await import('./parse.js')).parsed(args, streams);
  } catch (error) {
    if (error instanceof InputError || error instanceof SignatureError) {
      if (args.includes('--json')) streams.out(`${JSON.stringify({ error: { code: error.code, message: error.message } })}\n`);
      streams.err(`${shown(error.message)}\n`);
      return error instanceof SignatureError ? exitCodes.invalid : exitCodes.usage;
    }
    streams.err(`internal error: ${shownLines(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
    return exitCodes.internal;
  }
}
