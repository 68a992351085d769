/** The program: `node verifier/cli/main.js verify <bundle>`. Output is written whole before the process ends by itself. */
import { command } from './command.js';
import { exitCodes } from './exit.js';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that had enough (`| head`) takes nothing from the verdict. Anything else must not end with 1, which says invalid.
    if (error.code !== 'EPIPE') process.exit(exitCodes.internal);
  });
}
const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
process.exitCode = await command(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  colour,
});
