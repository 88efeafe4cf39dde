// The deployed service without rate limits. Sends its address to the parent.
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
// Exits normally, as on a server, so that profilers write their results.
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
