// Starts the service as in production, but without rate limits. Sends its address to the parent process.
// BENCH_FOLLOWERS=none: without followers of the feed; timed: one more follower writes how late it was into the table `bench_delay`.
import { createApp } from '../dist/server/app.js';
import { Followers } from '../dist/outbox/followers.js';
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
if (process.env.BENCH_FOLLOWERS === 'none') app.get(Followers).add = () => undefined;
if (process.env.BENCH_FOLLOWERS === 'timed')
  app.get(Followers).add({
    name: 'bench',
    handle: async (tx, _eventId, rows) => {
      await tx.query(
        {
          name: 'bench_delay',
          text: `INSERT INTO bench_delay (delay) SELECT clock_timestamp() - created_at FROM outbox WHERE id = ANY($1::bigint[])`,
        },
        [rows.map(({ id }) => id)],
      );
    },
  });
await app.listen(0, '127.0.0.1');
process.send({ url: await app.getUrl() });
// Exits normally, as on a server, because profilers write their results at a normal exit.
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
