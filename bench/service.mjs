// The service as it is deployed, with the rate limits out of the way. Tells its address to the parent; with BENCH_LOOP=1 also,
// whenever it is asked, for how long its event loop was held at the most since it was asked last.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApp } from '../dist/app.js';
import { loadConfig } from '../dist/load-config.js';

const plenty = 1_000_000_000;
const limits = {
  perMinute: plenty,
  authPerMinute: plenty,
  trustedFactor: 1,
  intentsPerAddress: plenty,
  intentsPerEvent: plenty,
  intentsPerEmail: plenty,
};
const app = await createApp(loadConfig(process.env, { limits }));
await app.listen(0, '127.0.0.1');
process.send({ url: await app.getUrl() });
if (process.env.BENCH_LOOP === '1') {
  // Milliseconds between two looks, which the histogram counts as delay.
  const resolution = 1;
  const loop = monitorEventLoopDelay({ resolution });
  loop.enable();
  process.on('message', () => {
    process.send({ loopMs: loop.max / 1e6 - resolution });
    loop.reset();
  });
}
// Ends by itself, as it would on a server: profilers write what they have at the end.
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
