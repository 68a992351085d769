/** Options that several commands share. */
import { InvalidArgumentError, type Command } from 'commander';

export function addSubjectOption(command: Command): Command {
  return command.option('--subject <dir>', 'a folder with a subject.json; may be repeated', collect, []);
}

export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

export function positive(value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('a whole number from 1 is wanted.');
  return count;
}

export function fromZero(value: string): number {
  const count = Number(value);
  if (value.trim() === '' || !Number.isInteger(count) || count < 0)
    throw new InvalidArgumentError('a whole number from 0 is wanted.');
  return count;
}
