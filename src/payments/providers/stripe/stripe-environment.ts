import * as z from 'zod';
import { environmentSection } from '../../../config/environment-section.js';
import { httpUrl, list, optional } from '../../../config/variables.js';

/** Path of Stripe's webhook events below `/donations`. */
export const STRIPE_WEBHOOK_PATH = 'cardprocessor';

export interface StripeConfig {
  readonly secretKey: string;
  readonly webhookSecrets: readonly string[];
  /** Base address of the API; undefined means Stripe's own. */
  readonly apiUrl: URL | undefined;
  /** Public key for the form in the donor's browser. Without this key, the page has no form. */
  readonly publishableKey?: string | undefined;
  /** Address of the form's script; undefined means Stripe's own. */
  readonly scriptUrl?: URL | undefined;
}

const KEYS = 'in the dashboard of Stripe, under Developers, API keys';
const STRIPE_ITSELF = 'nothing, for Stripe itself';

export const stripeEnvironment = environmentSection('stripe', {
  variables: {
    STRIPE_SECRET_KEY: optional(z.string()),
    // This is a list, so that the old and the new secret are valid during a replacement. An empty secret is refused,
    // because anyone could sign with it.
    STRIPE_WEBHOOK_SECRET: optional(list.refine((secrets) => secrets.length > 0, 'holds no secret')),
    STRIPE_API_URL: optional(httpUrl),
    STRIPE_PUBLISHABLE_KEY: optional(
      z.string().startsWith('pk_', 'must begin with pk_: the secret key must never reach a browser'),
    ),
    STRIPE_JS_URL: optional(httpUrl),
  },
  formats: {
    STRIPE_SECRET_KEY: `sk_live_… or rk_live_…, ${KEYS}`,
    STRIPE_WEBHOOK_SECRET:
      'whsec_…, in the dashboard of Stripe at the webhook endpoint, under Signing secret',
    STRIPE_PUBLISHABLE_KEY: `pk_live_… of the same account, ${KEYS}`,
    STRIPE_API_URL: STRIPE_ITSELF,
    STRIPE_JS_URL: STRIPE_ITSELF,
  },
  required: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  settings: (env): StripeConfig => ({
    secretKey: env.STRIPE_SECRET_KEY,
    webhookSecrets: env.STRIPE_WEBHOOK_SECRET,
    apiUrl: env.STRIPE_API_URL ? new URL(env.STRIPE_API_URL) : undefined,
    publishableKey: env.STRIPE_PUBLISHABLE_KEY,
    scriptUrl: env.STRIPE_JS_URL ? new URL(env.STRIPE_JS_URL) : undefined,
  }),
  rules: [
    {
      variable: 'STRIPE_SECRET_KEY',
      verdict: 'refused',
      when: ({ STRIPE_SECRET_KEY: key = '' }) => key.startsWith('pk_'),
      says: 'is a publishable key, for pages: the secret key begins with sk_ or rk_',
    },
    {
      variable: 'STRIPE_SECRET_KEY',
      verdict: 'refused',
      when: ({ STRIPE_SECRET_KEY: key = '' }) => key.startsWith('whsec_'),
      says: 'holds a webhook secret: was it swapped with STRIPE_WEBHOOK_SECRET?',
    },
    {
      variable: 'STRIPE_SECRET_KEY',
      verdict: 'refused',
      inProduction: true,
      when: ({ STRIPE_SECRET_KEY: key = '', STRIPE_API_URL: api }) =>
        /^[sr]k_test_/.test(key) && api === undefined,
      says: 'is a test key, so no payment is real: for a rehearsal, use another NODE_ENV',
    },
    {
      variable: 'STRIPE_SECRET_KEY',
      verdict: 'warned',
      inProduction: true,
      when: ({ STRIPE_SECRET_KEY: key }) => key !== undefined && !/^([spr]k|whsec)_/.test(key),
      says: 'does not begin with sk_ or rk_: it may not be a key of Stripe',
    },
    {
      variable: 'STRIPE_PUBLISHABLE_KEY',
      verdict: 'warned',
      inProduction: true,
      when: ({ STRIPE_SECRET_KEY: key, STRIPE_PUBLISHABLE_KEY: publishable }) =>
        modeOf(key) !== undefined && modeOf(publishable) !== undefined && modeOf(key) !== modeOf(publishable),
      says: 'is a live key and STRIPE_SECRET_KEY a test key, or the reverse: no card is accepted',
    },
    {
      variable: 'STRIPE_WEBHOOK_SECRET',
      verdict: 'refused',
      when: ({ STRIPE_WEBHOOK_SECRET: secrets = [] }) => secrets.some((secret) => /^[spr]k_/.test(secret)),
      says: 'holds a key: was it swapped with STRIPE_SECRET_KEY?',
    },
    {
      variable: 'STRIPE_WEBHOOK_SECRET',
      verdict: 'warned',
      inProduction: true,
      when: ({ STRIPE_WEBHOOK_SECRET: secrets = [] }) =>
        secrets.some((secret) => !/^(whsec|[spr]k)_/.test(secret)),
      says: 'does not begin with whsec_: it may not be the signing secret of the endpoint',
    },
    {
      variable: 'STRIPE_API_URL',
      verdict: 'warned',
      inProduction: true,
      when: ({ STRIPE_API_URL }) => STRIPE_API_URL !== undefined,
      says: 'is set: card payments do not go to Stripe itself',
    },
    {
      variable: 'STRIPE_JS_URL',
      verdict: 'refused',
      inProduction: true,
      // The server of a card form's script can read the card numbers.
      when: ({ STRIPE_JS_URL }) => STRIPE_JS_URL !== undefined,
      says: 'is for development only: in production, the card form loads its script from Stripe',
    },
    {
      variable: 'STRIPE_PUBLISHABLE_KEY',
      verdict: 'warned',
      inProduction: true,
      when: ({ STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY }) =>
        STRIPE_SECRET_KEY !== undefined && STRIPE_PUBLISHABLE_KEY === undefined,
      says: 'is not set: the donation pages do not accept cards',
    },
  ],
});

/** The mode of a key: `live` or `test`. */
const modeOf = (key: string | undefined): string | undefined => /^[spr]k_(live|test)_/.exec(key ?? '')?.[1];
