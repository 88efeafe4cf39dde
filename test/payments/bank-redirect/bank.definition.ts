import { z } from 'zod';
import { environmentSection } from '../../../src/config/environment-section.js';
import { httpUrl, optional } from '../../../src/config/variables.js';
import type { ProviderDefinition } from '../../../src/payments/providers/provider-definition.js';
import { type BankConfig, BankProvider } from './bank.provider.js';

/** Everything that the service needs for one more provider. */
export const bank: ProviderDefinition<BankConfig> = {
  name: 'bank',
  type: 'wallet',
  webhook: {
    path: 'bank',
    summary: 'Webhook events of the bank, verified by signature',
    example: { id: 'bank-1', status: 'paid' },
    headers: [
      { name: 'Bank-Signature', required: true, description: 'HMAC-SHA256 of the body, hexadecimal' },
    ],
  },
  environment: environmentSection('bank', {
    variables: {
      BANK_URL: optional(httpUrl),
      BANK_KEY: optional(z.string()),
      BANK_WEBHOOK_SECRET: optional(z.string()),
    },
    required: ['BANK_URL', 'BANK_KEY', 'BANK_WEBHOOK_SECRET'],
    settings: (env): BankConfig => ({
      url: new URL(env.BANK_URL),
      key: env.BANK_KEY,
      webhookSecret: env.BANK_WEBHOOK_SECRET,
    }),
    warnings: () => ['the bank of these tests moves no money'],
  }),
  create: (settings, { timeoutMs }) => new BankProvider(settings, timeoutMs),
};
