/**
 * Keeps what a role wrote to its standard error, without the paths of this machine.
 *
 * Two runs of one plan on two machines should differ only where they must; a path tells who ran it and where, and proves nothing.
 */
import { writeFileSync } from 'node:fs';
import type { RunContext } from './context.js';

type PathContext = Pick<RunContext, 'installation' | 'bag' | 'work' | 'subject'>;

export function keepStderr(context: PathContext, said: string, to: string): void {
  const words = withoutPaths(said, context);
  if (words !== '') writeFileSync(to, words, { flag: 'wx' });
}

export function withoutPaths(text: string, { installation, bag, work, subject }: PathContext): string {
  const names: [string, string][] = [
    [installation.build, '<build>'],
    [installation.packageRoot, '<package>'],
    [work, '<work>'],
    [bag, '<bag>'],
    [subject.folder, '<subject>'],
    [process.execPath, '<node>'],
  ];
  names.sort(([left], [right]) => right.length - left.length);
  return names.reduce((kept, [path, name]) => kept.replaceAll(path, name), text);
}
