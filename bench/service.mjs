// The service as it is deployed, with the rate limits out of the way. Tells its address to the parent; with BENCH_LOOP=1 also,
// whenever it is asked, for how long its event loop was held at the most since it was asked last, and for how long it worked in one go.
import { readFileSync } from 'node:fs';
import { createApp } from '../dist/server/app.js';
import { loadConfig } from '../dist/server/load-config.js';

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
  // Milliseconds between two looks. What was more than that is time at work, or time that others had the processors.
  const resolution = 1;
  const workedMs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  let most = { loopMs: 0, atWorkMs: 0 };
  let [looked, worked] = [performance.now(), workedMs()];
  setInterval(() => {
    const [now, work] = [performance.now(), workedMs()];
    most = {
      loopMs: Math.max(most.loopMs, now - looked - resolution),
      atWorkMs: Math.max(most.atWorkMs, work - worked),
    };
    [looked, worked] = [now, work];
  }, resolution);
  process.on('message', () => {
    process.send(most);
    most = { loopMs: 0, atWorkMs: 0 };
  });
}
// Ends by itself, as it would on a server: profilers write what they have at the end.
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
