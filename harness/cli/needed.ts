/**
 * What a command cannot do without, as one line to write: the argument library tells what is missing one at a time, and not what to do.
 * Pure.
 */
import type { Command } from 'commander';

const further = '--help lists what can be said';

/** After the library's own sentence about a command of this program, whatever that is. */
export function tellWhatIsNeeded(root: Command): void {
  root.showHelpAfterError(`(${further})`);
  for (const command of root.commands) {
    const needed = neededBy(command);
    const line = [root.name(), command.name(), ...needed].join(' ');
    command.showHelpAfterError(needed.length === 0 ? `(${further})` : `Write: ${line} (${further} besides)`);
  }
}

function neededBy(command: Command): string[] {
  const named = command.registeredArguments.filter(({ required }) => required).map((argument) => `<${argument.name()}>`);
  return [...named, ...command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)];
}
