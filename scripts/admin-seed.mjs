// Creates an admin or accountant, or sets a new password for an existing one and ends that account's sessions, second
// factor and binding to an identity. It restores access after a lock-out: it enables a disabled account, and turns sign-in by
// password on again.
// ADMIN_ROLE is ADMIN (default for a new account) or ACCOUNTANT; without it an existing account keeps its role.
// ADMIN_EMAIL and ADMIN_PASSWORD set the account; otherwise the command asks. Without a terminal it generates a password and
// prints it once. Passwords are never arguments: those are visible in the process list and the shell history.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { builtModule } from './built.mjs';
import { withDatabase } from './local-database.mjs';

if (process.argv.length > 2)
  fail('This command takes no arguments: set ADMIN_EMAIL and ADMIN_PASSWORD, or answer the prompt.');
try {
  const { seedAdmin } = await builtModule('operator/admin-seed.js');
  const { email, password } = await ask();
  const seeded = await withDatabase((databaseUrl) =>
    seedAdmin({ databaseUrl, email, password, role: process.env.ADMIN_ROLE || undefined }),
  );
  console.log(
    seeded.created
      ? `Account ${seeded.email} created.`
      : `New password for ${seeded.email}; all sessions of the account have ended.`,
  );
  if (seeded.enabled) console.log('The account was disabled and is enabled again.');
  if (seeded.secondFactorReset)
    console.log('The second factor of the account was removed. Set up a new one.');
  if (seeded.passwordsOn) console.log('Sign-in by password was off and is on again for all users.');
  if (!seeded.created) console.log('The server e-mails its owner about this, if the server has SMTP_URL.');
  if (!password) console.log(`Password (shown only now): ${seeded.password}`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

async function ask() {
  const email = process.env.ADMIN_EMAIL;
  const password = process.env.ADMIN_PASSWORD || undefined;
  if (email && (password || !process.stdin.isTTY)) return { email, password };
  if (!process.stdin.isTTY) fail('Set ADMIN_EMAIL (and ADMIN_PASSWORD, or a password is generated).');
  let quiet = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!quiet) process.stdout.write(chunk);
      done();
    },
  });
  const prompt = createInterface({ input: process.stdin, output, terminal: true });
  try {
    const address = email || (await prompt.question('E-mail of the admin: '));
    if (password) return { email: address, password };
    process.stdout.write('Password (empty: generate one): ');
    quiet = true;
    const secret = await prompt.question('');
    process.stdout.write('\nOnce more: ');
    const again = await prompt.question('');
    process.stdout.write('\n');
    if (secret !== again) fail('The two passwords differ.');
    return { email: address, password: secret || undefined };
  } finally {
    prompt.close();
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
