/**
 * The synthetic provider as a process: prints one line when it listens, and ends when its standard input ends or on SIGTERM or
 * SIGINT. The pipe on standard input is what ties it to the process that started it: whoever dies takes the provider along.
 *
 * Exit codes: 0 ended as told, 64 arguments or a port that cannot be had, 70 an error of its own.
 */
import { readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { canonical, wellFormed } from './core/canonical.js';
import { reason } from './core/errors.js';
import { type Opening, openingMistakes } from './http/registry.js';
import { startProvider } from './http/server.js';
import { scriptMistakes } from './script/mistakes.js';

const help = `Usage: synthetic-provider [--port N] [--receipts FILE [--script FILE] [--continue]]

Serves a scripted model and tool provider on 127.0.0.1 and keeps fsynced receipts of every request.
Prints one JSON line when it listens: {"control_token", "pid", "port", "ready": true}.
Ends when its standard input ends.

  --port N          listen on this port instead of a free one
  --receipts FILE   open a prefix at once, with its receipts in this new file; the line gets its "url"
  --script FILE     what that prefix does (provider-script.schema.json); without it every request is answered
  --continue        go on with the receipts that are in that file, of a prefix that was closed
  --help            show this text
`;

const answersAll = { key: 'ignore', requests: [], otherwise: { do: 'answer' } };

interface Wanted {
  readonly port: number;
  readonly opening: Opening | null;
}

function wantedBy(argv: string[]): Wanted {
  const string = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { port: string, receipts: string, script: string, continue: flag, help: flag } as const;
  const { values } = parseArgs({ args: argv, options });
  if (values.help === true) end(0, help, 1);
  const text = values.port ?? '0';
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error(`--port wants a number up to 65535, not "${text}".`);
  const port = Number(text);
  if (values.receipts === undefined) {
    if (values.script !== undefined) throw new Error('--script goes with --receipts.');
    if (values.continue === true) throw new Error('--continue goes with --receipts.');
    return { port, opening: null };
  }
  const script: unknown = values.script === undefined ? answersAll : scriptIn(values.script);
  const opening = { receipts: resolve(values.receipts), script, continue: values.continue === true };
  const mistakes = openingMistakes(opening);
  if (mistakes.length > 0) throw new Error(mistakes.join(' '));
  return { port, opening: opening as Opening };
}

function scriptIn(path: string): unknown {
  const refuse = (why: string, cause: unknown): never => {
    throw new Error(`The script ${path} ${why}.`, { cause });
  };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refuse(code === 'ENOENT' ? 'is not there' : `cannot be read (${code ?? reason(error)})`, error);
  }
  let script: unknown;
  try {
    script = JSON.parse(text);
  } catch (error) {
    return refuse(`is not JSON: ${reason(error)}`, error);
  }
  const mistakes = scriptMistakes(script).map((mistake) => `\n  ${wellFormed(mistake)}`);
  if (mistakes.length > 0)
    throw new Error(
      `The script ${path} has ${mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`}.${mistakes.join('')}`,
    );
  return script;
}

/** Synchronous, since a last line written on the way out must not be lost in a pipe. */
function end(code: number, text: string, fd = 2): never {
  writeSync(fd, text);
  process.exit(code);
}

function crash(error: unknown): never {
  end(70, `synthetic-provider: internal error: ${error instanceof Error ? error.stack : String(error)}\n`);
}

process.on('uncaughtException', crash);

let wanted: Wanted = { port: 0, opening: null };
try {
  wanted = wantedBy(process.argv.slice(2));
} catch (error) {
  end(64, `synthetic-provider: ${reason(error)}\n`);
}

const provider = await startProvider(wanted.port, crash).catch((error: unknown) =>
  end(64, `synthetic-provider: cannot listen on 127.0.0.1:${wanted.port}: ${reason(error)}\n`),
);

function opened(opening: Opening | null): { url?: string } {
  try {
    return opening === null ? {} : { url: provider.open(opening) };
  } catch (error) {
    return end(64, `synthetic-provider: ${reason(error)}\n`);
  }
}

function stop(): void {
  provider.stop();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
process.stdin.on('end', stop).on('error', stop).resume();

writeSync(
  1,
  `${canonical({ control_token: provider.controlToken, pid: process.pid, port: provider.port, ready: true, ...opened(wanted.opening) })}\n`,
);
