// The payment sandbox as a separate process. It sends failed webhooks again for a long time. Real providers do this for days.
import { startSandbox } from '../../dist-sandbox/server/sandbox.js';

const RETRY_AFTER_MS = [100, 300, 1_000, 2_000, 3_000, ...Array(30).fill(5_000)];

const { stripe, paypal } = JSON.parse(process.argv[2]);
const sandbox = await startSandbox({
  stripe,
  paypal,
  delivery: { retryDelaysMs: RETRY_AFTER_MS, timeoutMs: 10_000 },
});
process.send({ url: sandbox.url, caPem: sandbox.paypal.caPem });
process.once('disconnect', () => process.exit());
