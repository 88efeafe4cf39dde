import { z } from 'zod';
import { environmentSection } from '../../config/environment-section.js';
import { httpUrl, optional, withDefault } from '../../config/variables.js';

export interface PayPalConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookId: string;
  readonly apiUrl: URL;
  readonly verification: 'offline' | 'api';
  /** PEM file with a further trust anchor for webhook certificates, for a provider on loopback. */
  readonly caFile: string | undefined;
  /** The charity's PayPal account; an order that pays another one is none of ours. Unchecked when absent. */
  readonly merchantId?: string | undefined;
}

export const paypalEnvironment = environmentSection('paypal', {
  variables: {
    PAYPAL_CLIENT_ID: optional(z.string()),
    PAYPAL_CLIENT_SECRET: optional(z.string()),
    PAYPAL_WEBHOOK_ID: optional(z.string()),
    PAYPAL_API_URL: optional(httpUrl),
    PAYPAL_WEBHOOK_VERIFICATION: withDefault(z.enum(['offline', 'api']), 'offline'),
    PAYPAL_CA_FILE: optional(z.string()),
    PAYPAL_MERCHANT_ID: optional(z.string()),
  },
  required: ['PAYPAL_CLIENT_ID', 'PAYPAL_CLIENT_SECRET', 'PAYPAL_WEBHOOK_ID'],
  settings: (env): PayPalConfig => ({
    clientId: env.PAYPAL_CLIENT_ID,
    clientSecret: env.PAYPAL_CLIENT_SECRET,
    webhookId: env.PAYPAL_WEBHOOK_ID,
    apiUrl: new URL(env.PAYPAL_API_URL ?? 'https://api-m.paypal.com'),
    verification: env.PAYPAL_WEBHOOK_VERIFICATION,
    caFile: env.PAYPAL_CA_FILE,
    merchantId: env.PAYPAL_MERCHANT_ID,
  }),
  warnings: (env) => [
    env.PAYPAL_API_URL !== undefined && 'PAYPAL_API_URL is set: wallets may not reach PayPal itself',
    env.PAYPAL_CLIENT_ID !== undefined &&
      env.PAYPAL_MERCHANT_ID === undefined &&
      'PAYPAL_MERCHANT_ID is not set: who is paid by orders that pages make is not checked',
  ],
});
