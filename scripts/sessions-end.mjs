// Ends all sessions of admins, accountants and staff: after a restore, or if a secret may have been exposed.
// All users must sign in again; passwords, PINs and second factors stay.
// Exit code: 0 done, 1 failed.
import { builtModule } from './built.mjs';
import { withDatabase } from './local-database.mjs';

try {
  if (process.argv.length > 2) throw new Error('This command takes no arguments: it ends all sessions.');
  const { endSessions } = await builtModule('operator/sessions-end.js');
  const { endedBefore, renewable } = await withDatabase((databaseUrl) => endSessions(databaseUrl));
  console.log(
    `All sessions from before ${endedBefore.toISOString()} have ended. Of these, ${renewable} were renewable until now.`,
  );
  if (renewable > 0)
    console.log('The server e-mails the owners of the accounts about this, if the server has SMTP_URL.');
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
