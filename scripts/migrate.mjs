// Applies all migrations to the database in DATABASE_URL. Several processes may run it at once.
// Exit code: 0 done, 1 failed and rolled back, 2 it could not run.
import { builtModule } from './built.mjs';

try {
  if (process.argv.length > 2) throw new Error('This command takes no arguments: set DATABASE_URL.');
  const { migrate } = await builtModule('operator/migrate.js');
  for (const line of await migrate(process.env.DATABASE_URL)) console.log(line);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = error?.name === 'MigrationError' ? 1 : 2;
}
