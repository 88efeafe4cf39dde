import { z } from 'zod';
import { environmentSection } from '../../config/environment-section.js';
import { httpUrl, list, optional } from '../../config/variables.js';

export interface StripeConfig {
  readonly secretKey: string;
  readonly webhookSecrets: readonly string[];
  /** Base address of the API; undefined means Stripe's own. */
  readonly apiUrl: URL | undefined;
}

export const stripeEnvironment = environmentSection('stripe', {
  variables: {
    STRIPE_SECRET_KEY: optional(z.string()),
    // Several while one is being replaced. An empty one would let anybody sign.
    STRIPE_WEBHOOK_SECRET: optional(list.refine((secrets) => secrets.length > 0, 'holds no secret')),
    STRIPE_API_URL: optional(httpUrl),
  },
  required: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  settings: (env): StripeConfig => ({
    secretKey: env.STRIPE_SECRET_KEY,
    webhookSecrets: env.STRIPE_WEBHOOK_SECRET,
    apiUrl: env.STRIPE_API_URL ? new URL(env.STRIPE_API_URL) : undefined,
  }),
  warnings: (env) => [
    env.STRIPE_API_URL !== undefined && 'STRIPE_API_URL is set: cards are not sent to Stripe itself',
  ],
});
