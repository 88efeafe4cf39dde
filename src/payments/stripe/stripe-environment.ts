import { z } from 'zod';
import { environmentSection } from '../../config/environment-section.js';
import { httpUrl, list, optional } from '../../config/variables.js';

export interface StripeConfig {
  readonly secretKey: string;
  readonly webhookSecrets: readonly string[];
  /** Base address of the API; undefined means Stripe's own. */
  readonly apiUrl: URL | undefined;
  /** For the form in the donor's browser; without it there is none. */
  readonly publishableKey?: string | undefined;
  /** Where the script of the form is; undefined means Stripe's own. */
  readonly scriptUrl?: URL | undefined;
}

export const stripeEnvironment = environmentSection('stripe', {
  variables: {
    STRIPE_SECRET_KEY: optional(z.string()),
    // Several while one is being replaced. An empty one would let anybody sign.
    STRIPE_WEBHOOK_SECRET: optional(list.refine((secrets) => secrets.length > 0, 'holds no secret')),
    STRIPE_API_URL: optional(httpUrl),
    STRIPE_PUBLISHABLE_KEY: optional(
      z.string().startsWith('pk_', 'must begin with pk_: the secret key must never reach a browser'),
    ),
    STRIPE_JS_URL: optional(httpUrl),
  },
  required: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  settings: (env): StripeConfig => ({
    secretKey: env.STRIPE_SECRET_KEY,
    webhookSecrets: env.STRIPE_WEBHOOK_SECRET,
    apiUrl: env.STRIPE_API_URL ? new URL(env.STRIPE_API_URL) : undefined,
    publishableKey: env.STRIPE_PUBLISHABLE_KEY,
    scriptUrl: env.STRIPE_JS_URL ? new URL(env.STRIPE_JS_URL) : undefined,
  }),
  // Whoever serves the script of a card form reads the cards.
  refusedInProduction: ['STRIPE_JS_URL'],
  warnings: (env) => [
    env.STRIPE_SECRET_KEY !== undefined &&
      env.STRIPE_PUBLISHABLE_KEY === undefined &&
      'STRIPE_PUBLISHABLE_KEY is not set: the donate pages take no cards',
    env.STRIPE_API_URL !== undefined && 'STRIPE_API_URL is set: cards are not sent to Stripe itself',
  ],
});
