/**
 * Progress of a run for people, on standard error: one live line on a terminal, one plain line a case elsewhere, nothing with `--json`
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

/**
 * One line that stays: how far the run is, and which cases are under way. A line a case would be longer than the screen, and what has
 * ended well is of no interest any more; what is void is said again in the summary, with its reason.
 */
function liveDisplay(stream: NodeJS.WriteStream): Display {
  const running = new Set<string>();
  const { promise: ended, resolve: finish } = withResolvers();
  let rendering: Promise<unknown> = Promise.resolve();
  let show: (line: string) => void = () => undefined;
  let [total, done, voids] = [0, 0, 0];
  const line = (): string => progressLine({ total, done, voids, running: [...running] }, stream.columns - 4);
  return {
    begin: (cases) => {
      total = cases.length;
      const logger = new ListrLogger<ListrDefaultRendererLogLevels>({
        useIcons: true,
        toStderr: [],
        processOutput: new ProcessOutput(stream, stream),
      });
      const list = new Listr(
        [
          {
            title: line(),
            task: async (_context, shown) => {
              show = (text) => void (shown.title = text);
              await ended;
            },
          },
        ],
        { exitOnError: false, fallbackRendererCondition: false, rendererOptions: { logger, formatOutput: 'truncate' } },
      );
      rendering = list.run().catch(() => undefined);
    },
    progress: ({ case: id, what }) => {
      if (what === 'began') running.add(id);
      if (what === 'done' || what === 'void') {
        running.delete(id);
        done += 1;
        if (what === 'void') voids += 1;
      }
      show(line());
    },
    end: async () => {
      running.clear();
      show(line());
      finish();
      await rendering;
    },
  };
}

interface Progressed {
  readonly total: number;
  readonly done: number;
  readonly voids: number;
  readonly running: readonly string[];
}

/** `12 of 41 cases, 1 void: effect-unknown, observed`, cut to the width: a line that wraps would leave its rest behind. Pure. */
export function progressLine({ total, done, voids, running }: Progressed, width: number): string {
  const count = `${done} of ${total} ${total === 1 ? 'case' : 'cases'}${voids === 0 ? '' : `, ${voids} void`}`;
  const whole = running.length === 0 ? count : `${count}: ${running.join(', ')}`;
  return whole.length <= width ? whole : `${whole.slice(0, Math.max(width - 1, 0))}…`;
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((yes) => {
    resolve = yes;
  });
  return { promise, resolve };
}
