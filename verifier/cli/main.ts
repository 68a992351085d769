/** The program: `node verifier/cli/main.js verify <bundle>`. Output is written whole before the process ends by itself. */
import { command } from './command.js';

const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
process.exitCode = await command(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  colour,
});
