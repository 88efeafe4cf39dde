import { writeFile } from 'node:fs/promises';
import { type SandboxOptions, startSandbox } from './server/sandbox.js';

/** Runs the sandbox as a program. The README lists its environment variables. */
function optionsFrom(env: NodeJS.ProcessEnv): SandboxOptions {
  const list = (text: string | undefined) =>
    text
      ?.split(',')
      .map((url) => url.trim())
      .filter(Boolean);
  return {
    port: Number(env.SANDBOX_PORT ?? '4010'),
    host: env.SANDBOX_HOST ?? '127.0.0.1',
    ...(env.SANDBOX_DATA_FILE && { dataFile: env.SANDBOX_DATA_FILE }),
    stripe: {
      secretKey: env.STRIPE_SECRET_KEY ?? 'sk_test_sandbox',
      publishableKey: env.STRIPE_PUBLISHABLE_KEY ?? 'pk_test_sandbox',
      webhookSecret: env.STRIPE_WEBHOOK_SECRET ?? 'whsec_sandbox',
      webhookUrl: list(env.STRIPE_WEBHOOK_URL) ?? [],
    },
    paypal: {
      clientId: env.PAYPAL_CLIENT_ID ?? 'sandbox-client',
      clientSecret: env.PAYPAL_CLIENT_SECRET ?? 'sandbox-secret',
      webhookId: env.PAYPAL_WEBHOOK_ID ?? 'SANDBOX-WEBHOOK',
      webhookUrl: list(env.PAYPAL_WEBHOOK_URL) ?? [],
    },
  };
}

const options = optionsFrom(process.env);
const sandbox = await startSandbox(options);
if (process.env.SANDBOX_CA_FILE) await writeFile(process.env.SANDBOX_CA_FILE, sandbox.paypal.caPem);
process.stdout.write(`Payment sandbox at ${sandbox.url}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void sandbox.close().then(() => process.exit(0));
  });
}
