// Checks an installation: its variables, database, Redis, mail server, identity provider, payment providers, public address,
// clock, backups and disk. Each finding names the variable to change and its new form. No secret is printed.
// --env <file>: checks the variables of this file, such as .env or /etc/donations.env, and names their lines.
// Exit code: 0 everything was checked and nothing is wrong, 1 something is wrong or unknown, 2 the command could not run.
import { parseArgs } from 'node:util';
import { builtModule } from './built.mjs';

const COLOURS = { '✓': 32, '✗': 31, '!': 33, '?': 33 };

try {
  const { doctor } = await builtModule('operator/doctor.js');
  const { isFine, lines } = await doctor(process.env, file());
  for (const line of lines) console.log(coloured(line));
  process.exit(isFine ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(2);
}

function file() {
  try {
    return parseArgs({ options: { env: { type: 'string' } } }).values.env;
  } catch {
    throw new Error('Usage: npm run doctor [-- --env /etc/donations.env]');
  }
}

function coloured(line) {
  const mark = line.trimStart()[0];
  return process.stdout.isTTY && COLOURS[mark]
    ? line.replace(mark, `\u001b[${COLOURS[mark]}m${mark}\u001b[0m`)
    : line;
}
