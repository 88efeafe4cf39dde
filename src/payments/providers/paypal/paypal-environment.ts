import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { environmentSection } from '../../../config/environment-section.js';
import { isPlain } from '../../../config/rules.js';
import { httpUrl, oneOf, optional, withDefault } from '../../../config/variables.js';

export interface PayPalConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookId: string;
  readonly apiUrl: URL;
  readonly verification: 'offline' | 'api';
  /** PEM file with an additional trust anchor for webhook certificates. Used with a PayPal sandbox on loopback. */
  readonly caFile: string | undefined;
  /**
   * The charity's PayPal account. Orders that pay another account are ignored. If absent, the paid account is not
   * checked.
   */
  readonly merchantId?: string | undefined;
}

const APPLICATION = 'in the developer dashboard of PayPal, at your live application';
const PAYPAL_ITSELF = 'nothing, for PayPal itself';

export const paypalEnvironment = environmentSection('paypal', {
  variables: {
    PAYPAL_CLIENT_ID: optional(z.string()),
    PAYPAL_CLIENT_SECRET: optional(z.string()),
    PAYPAL_WEBHOOK_ID: optional(z.string()),
    PAYPAL_API_URL: optional(httpUrl),
    PAYPAL_WEBHOOK_VERIFICATION: withDefault(oneOf(['offline', 'api']), 'offline'),
    PAYPAL_CA_FILE: optional(z.string()),
    PAYPAL_MERCHANT_ID: optional(z.string()),
  },
  formats: {
    PAYPAL_CLIENT_ID: APPLICATION,
    PAYPAL_CLIENT_SECRET: APPLICATION,
    PAYPAL_WEBHOOK_ID: `the id of the webhook, ${APPLICATION}`,
    PAYPAL_API_URL: PAYPAL_ITSELF,
    PAYPAL_WEBHOOK_VERIFICATION: 'offline or api',
    PAYPAL_CA_FILE: PAYPAL_ITSELF,
    PAYPAL_MERCHANT_ID: 'the merchant id, in the account settings of PayPal under Business information',
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
  rules: [
    {
      variable: 'PAYPAL_CLIENT_SECRET',
      verdict: 'refused',
      when: ({ PAYPAL_CLIENT_ID: id, PAYPAL_CLIENT_SECRET: secret }) => id !== undefined && id === secret,
      says: 'is the same as PAYPAL_CLIENT_ID',
    },
    {
      variable: 'PAYPAL_CLIENT_ID',
      verdict: 'refused',
      when: ({ PAYPAL_CLIENT_ID: id = '', PAYPAL_CLIENT_SECRET: secret = '' }) =>
        /^E[\w-]{60,}$/.test(id) && /^A[\w-]{60,}$/.test(secret),
      says: 'looks like a secret: was it swapped with PAYPAL_CLIENT_SECRET?',
    },
    {
      variable: 'PAYPAL_WEBHOOK_ID',
      verdict: 'refused',
      when: ({ PAYPAL_WEBHOOK_ID: id = '' }) => /^(WH-|https?:)/.test(id),
      says: 'must be the id of the webhook, not of an event and not its address',
    },
    {
      variable: 'PAYPAL_API_URL',
      verdict: 'refused',
      inProduction: true,
      when: ({ PAYPAL_API_URL }) => isPlain(PAYPAL_API_URL),
      says: 'must be an https address',
    },
    {
      variable: 'PAYPAL_API_URL',
      verdict: 'warned',
      inProduction: true,
      when: ({ PAYPAL_API_URL }) => PAYPAL_API_URL !== undefined,
      says: 'is set: wallet payments may not go to PayPal itself',
    },
    {
      variable: 'PAYPAL_CA_FILE',
      verdict: 'refused',
      when: ({ PAYPAL_CA_FILE: file }) => file !== undefined && !holdsCertificate(file),
      says: 'names a file that cannot be read or contains no certificate (PEM)',
    },
    {
      variable: 'PAYPAL_MERCHANT_ID',
      verdict: 'warned',
      inProduction: true,
      when: ({ PAYPAL_CLIENT_ID: id, PAYPAL_MERCHANT_ID: account }) =>
        id !== undefined && account === undefined,
      says: 'is not set: the payee of orders from external pages is not checked',
    },
  ],
});

function holdsCertificate(file: string): boolean {
  try {
    new X509Certificate(readFileSync(file));
    return true;
  } catch {
    return false;
  }
}
