// Removes the account of an admin or accountant who left: ADMIN_EMAIL names it. With the server's SMTP_URL, MAIL_FROM
// and PIN_SECRET it queues an e-mail to the owner.
import { builtModule } from './built.mjs';
import { withDatabase } from './local-database.mjs';

const email = process.env.ADMIN_EMAIL;
try {
  if (process.argv.length > 2 || !email) throw new Error('Set ADMIN_EMAIL; this takes no arguments.');
  const { removeAdmin } = await builtModule('operator/admin-remove.js');
  const { commandMail } = await builtModule('operator/account-notices.js');
  const { keys, problem } = commandMail(process.env);
  const removed = await withDatabase((databaseUrl) => removeAdmin(databaseUrl, email, keys));
  if (!removed) throw new Error(`There is no account ${email}.`);
  console.log(
    `Account ${email} removed: its sessions end within seconds, and no identity leads to it any more.`,
  );
  if (problem) console.log(problem);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
