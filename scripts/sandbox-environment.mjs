// Settings that connect the server of `npm start` to the payment sandbox.
import { join } from 'node:path';

export const sandboxPort = () => Number(process.env.SANDBOX_PORT || 4010);
export const sandboxAddress = () => `http://127.0.0.1:${sandboxPort()}`;

/** Returns variables that connect each provider without a configuration to the sandbox. */
export function sandboxEnvironment(dataDir) {
  const { STRIPE_SECRET_KEY, PAYPAL_CLIENT_ID } = process.env;
  const stripe = STRIPE_SECRET_KEY
    ? {}
    : {
        STRIPE_SECRET_KEY: 'sk_test_sandbox',
        STRIPE_WEBHOOK_SECRET: 'whsec_sandbox',
        STRIPE_API_URL: sandboxAddress(),
        STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
        STRIPE_JS_URL: `${sandboxAddress()}/stripe.js`,
      };
  const paypal = PAYPAL_CLIENT_ID
    ? {}
    : {
        PAYPAL_CLIENT_ID: 'sandbox-client',
        PAYPAL_CLIENT_SECRET: 'sandbox-secret',
        PAYPAL_WEBHOOK_ID: 'SANDBOX-WEBHOOK',
        PAYPAL_API_URL: sandboxAddress(),
        PAYPAL_CA_FILE: join(dataDir, 'sandbox-ca.pem'),
      };
  return { ...stripe, ...paypal };
}
