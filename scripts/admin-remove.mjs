// Removes the account of an admin or accountant; ADMIN_EMAIL names the account. If the server's SMTP_URL,
// MAIL_FROM and PIN_SECRET are set, the command also queues an e-mail to the owner of the account.
import { builtModule } from './built.mjs';
import { withDatabase } from './local-database.mjs';

const email = process.env.ADMIN_EMAIL;
try {
  if (process.argv.length > 2 || !email) throw new Error('This command takes no arguments: set ADMIN_EMAIL.');
  const { removeAdmin } = await builtModule('operator/admin-remove.js');
  const { commandMail } = await builtModule('operator/account-notices.js');
  const { keys, problem } = commandMail(process.env);
  const removed = await withDatabase((databaseUrl) => removeAdmin(databaseUrl, email, keys));
  if (!removed) throw new Error(`The account ${email} does not exist.`);
  console.log(
    `Account ${email} removed: its sessions end within seconds, and its identity can no longer sign in.`,
  );
  if (problem) console.log(problem);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
