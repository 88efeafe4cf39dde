// Starts the service as in production, but without rate limits. Sends its address to the parent process.
import { createApp } from '../dist/server/app.js';
import { loadConfig } from '../dist/server/load-config.js';

const plenty = 1_000_000_000;
const limits = {
  perMinute: plenty,
  authPerMinute: plenty,
  trustedFactor: 50,
  intentsPerAddress: plenty,
  intentsPerEvent: plenty,
  intentsPerEmail: plenty,
};
const app = await createApp(loadConfig(process.env, { limits }));
await app.listen(0, '127.0.0.1');
process.send({ url: await app.getUrl() });
// Exits normally, as on a server, because profilers write their results at a normal exit.
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
