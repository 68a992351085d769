/**
 * Progress of a run for people, on standard error: live on a terminal, one plain line a case elsewhere, nothing with `--json`
 * but those plain lines. Standard output belongs to the result.
 */
import { Listr, type ListrDefaultRendererLogLevels, ListrLogger, ProcessOutput } from 'listr2';
import type { Progress } from '../case/context.js';

export interface Display {
  readonly progress: Progress;
  begin(cases: readonly string[]): void;
  /** Ends the display, also in the middle of a run. */
  end(): Promise<void>;
}

interface Watched {
  done: Promise<void>;
  finish(): void;
  fail(detail: string): void;
  title: string;
}

export function createDisplay(live: boolean, stream: NodeJS.WriteStream = process.stderr): Display {
  return live ? liveDisplay(stream) : plainDisplay(stream);
}

function plainDisplay(stream: NodeJS.WritableStream): Display {
  let total = 0;
  let ended = 0;
  return {
    begin: (cases) => {
      total = cases.length;
      stream.write(`${total} ${total === 1 ? 'case' : 'cases'}\n`);
    },
    progress: ({ case: id, what, detail }) => {
      if (what !== 'done' && what !== 'void') return;
      ended += 1;
      stream.write(`[${ended}/${total}] ${id}${what === 'void' ? ` void: ${detail ?? ''}` : ''}\n`);
    },
    end: () => Promise.resolve(),
  };
}

function liveDisplay(stream: NodeJS.WriteStream): Display {
  const watched = new Map<string, Watched>();
  let rendering: Promise<unknown> = Promise.resolve();
  return {
    begin: (cases) => {
      for (const id of cases) watched.set(id, watch(id));
      const tasks = [...watched.values()].map((one) => ({
        title: one.title,
        task: async (_context: unknown, task: { title: string }) => {
          await one.done;
          task.title = one.title;
        },
      }));
      // Everything at once: how many really run side by side is the run's own affair (`--jobs`).
      const logger = new ListrLogger<ListrDefaultRendererLogLevels>({
        useIcons: true,
        toStderr: [],
        processOutput: new ProcessOutput(stream, stream),
      });
      const list = new Listr(tasks, {
        concurrent: true,
        exitOnError: false,
        fallbackRendererCondition: false,
        rendererOptions: { logger },
      });
      rendering = list.run().catch(() => undefined);
    },
    progress: ({ case: id, what, detail }) => {
      if (what === 'done') watched.get(id)?.finish();
      if (what === 'void') watched.get(id)?.fail(detail ?? 'void');
    },
    end: async () => {
      for (const one of watched.values()) one.finish();
      await rendering;
    },
  };
}

function watch(id: string): Watched {
  const { promise, resolve, reject } = withResolvers();
  // A case that nobody waits for any more is no unhandled rejection.
  promise.catch(() => undefined);
  return { done: promise, title: id, finish: resolve, fail: (detail) => reject(new Error(`${id} void: ${detail}`)) };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (reason: Error) => void } {
  let resolve: () => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
