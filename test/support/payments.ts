import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import type { AppConfig } from '../../src/config/app-config.js';
import type { ProviderDefinition } from '../../src/payments/providers/provider-definition.js';
import { startApp, type TestApp } from './app.js';

export const STRIPE = { secretKey: 'sk_test_sandbox', webhookSecret: 'whsec_sandbox' };
export const PAYPAL = { clientId: 'client', clientSecret: 'secret', webhookId: 'WEBHOOK-1' };

export interface PaymentsApp extends TestApp {
  readonly sandbox: Sandbox;
}

/** Returns the environment that connects both providers to a sandbox. */
export function providerEnvironment(sandbox: Sandbox): NodeJS.ProcessEnv {
  const caFile = join(mkdtempSync(join(tmpdir(), 'sandbox-ca-')), 'ca.pem');
  writeFileSync(caFile, sandbox.paypal.caPem);
  return {
    STRIPE_SECRET_KEY: STRIPE.secretKey,
    STRIPE_WEBHOOK_SECRET: STRIPE.webhookSecret,
    STRIPE_API_URL: sandbox.url,
    STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
    STRIPE_JS_URL: `${sandbox.url}/stripe.js`,
    PAYPAL_CLIENT_ID: PAYPAL.clientId,
    PAYPAL_CLIENT_SECRET: PAYPAL.clientSecret,
    PAYPAL_WEBHOOK_ID: PAYPAL.webhookId,
    PAYPAL_API_URL: sandbox.url,
    PAYPAL_CA_FILE: caFile,
  };
}

/** Starts the application with its own payment sandbox, which posts webhooks to the application. */
export async function startPaymentsApp(
  environment: NodeJS.ProcessEnv = {},
  overrides: Partial<AppConfig> = {},
  providers?: readonly ProviderDefinition[],
  { referee = false }: { readonly referee?: boolean } = {},
): Promise<PaymentsApp> {
  const sandbox = await startSandbox({ stripe: STRIPE, paypal: PAYPAL, referee });
  sandbox.paypal.keepRefusals();
  const app = await startApp(
    { ...providerEnvironment(sandbox), ...environment },
    overrides,
    undefined,
    providers,
  );
  sandbox.setWebhookUrls({
    stripe: `${app.url}/donations/cardprocessor/webhook`,
    paypal: `${app.url}/donations/wallet/webhook`,
  });
  return {
    ...app,
    sandbox,
    close: async () => {
      await sandbox.close();
      await app.close();
    },
  };
}
