/** A process that is spoken to line by line: it answers in order, and where it dies instead, that is told with its last words. */
import { spawn } from 'node:child_process';

export interface Conversation {
  ask(line: string): Promise<string>;
  end(): Promise<void>;
}

export function converse(args: readonly string[], folder: string): Conversation {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  let [heard, words, isOver] = ['', '', false];
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    heard += text;
    for (let end = heard.indexOf('\n'); end >= 0; end = heard.indexOf('\n')) {
      waiting.shift()?.resolve(heard.slice(0, end));
      heard = heard.slice(end + 1);
    }
  });
  child.stderr.on('data', (text: string) => {
    words = (words + text).slice(-4000);
  });
  // It may be gone before it is told that nothing comes any more.
  child.stdin.on('error', () => undefined);
  const died = (): Error => new Error(`${args[0]} died: ${words.trim()}`);
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      isOver = true;
      for (const { reject } of waiting.splice(0)) reject(died());
      resolve();
    });
  });
  return {
    ask: (line) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(died());
        waiting.push({ resolve, reject });
        child.stdin.write(`${line}\n`);
      }),
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
