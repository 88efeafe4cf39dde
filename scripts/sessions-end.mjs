// Ends every sign-in, of admins, accountants and staff: after a restore, or when a secret may have been seen.
// Everybody signs in again; passwords, PINs and second factors stay as they are.
// Exit code: 0 done, 1 not.
import { builtModule } from './built.mjs';
import { withDatabase } from './local-database.mjs';

try {
  if (process.argv.length > 2) throw new Error('This takes no arguments: it ends every sign-in.');
  const { endSessions } = await builtModule('operator/sessions-end.js');
  const { endedBefore, renewable } = await withDatabase((databaseUrl) => endSessions(databaseUrl));
  console.log(
    `Every sign-in from before ${endedBefore.toISOString()} has ended; ${renewable} could have been renewed.`,
  );
  if (renewable > 0)
    console.log(
      'The owners of the accounts get an e-mail about it from the server. None is sent while the server has no SMTP_URL.',
    );
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
