// Creates an admin or accountant, or gives one a new password and ends that account's sessions, second factor and
// binding to an identity. The way back for who is locked out: it enables a disabled account, and passwords where they
// were switched off.
// ADMIN_ROLE is ADMIN (a new account's default) or ACCOUNTANT; without it an account that exists keeps its role.
// ADMIN_EMAIL and ADMIN_PASSWORD, else a prompt, else (no terminal) a password that is made and printed once.
// Never as an argument: those show in the process list and the shell's history.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { builtModule } from './built.mjs';
import { withDatabase } from './local-database.mjs';

if (process.argv.length > 2)
  fail('This takes no arguments: set ADMIN_EMAIL and ADMIN_PASSWORD, or answer the prompt.');
try {
  const { seedAdmin } = await builtModule('operator/admin-seed.js');
  const { email, password } = await ask();
  const seeded = await withDatabase((databaseUrl) =>
    seedAdmin({ databaseUrl, email, password, role: process.env.ADMIN_ROLE || undefined }),
  );
  console.log(
    seeded.created
      ? `Account ${seeded.email} created.`
      : `New password for ${seeded.email}; its sessions have ended.`,
  );
  if (seeded.enabled) console.log('It had been disabled and can be used again.');
  if (seeded.secondFactorReset) console.log('Its second factor is forgotten: set one up again.');
  if (seeded.passwordsOn)
    console.log('Sign-in by password had been switched off and is on again, for everybody.');
  if (!seeded.created)
    console.log(
      'Its owner gets an e-mail about it from the server. None is sent while the server has no SMTP_URL.',
    );
  if (!password) console.log(`Password (shown only now): ${seeded.password}`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

async function ask() {
  const email = process.env.ADMIN_EMAIL;
  const password = process.env.ADMIN_PASSWORD || undefined;
  if (email && (password || !process.stdin.isTTY)) return { email, password };
  if (!process.stdin.isTTY) fail('Set ADMIN_EMAIL (and ADMIN_PASSWORD, or a password is made).');
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
    process.stdout.write('Password (empty: one is made): ');
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
