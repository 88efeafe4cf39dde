import type { ProviderDefinition } from '../provider-definition.js';
import { type StripeConfig, stripeEnvironment } from './stripe-environment.js';
import { StripeProvider } from './stripe.provider.js';

export const stripe: ProviderDefinition<StripeConfig> = {
  name: 'stripe',
  type: 'card',
  webhook: {
    path: 'cardprocessor',
    summary: 'Webhook events of the card processor, verified by signature',
    example: { id: 'evt_1Qk', object: 'event', type: 'payment_intent.succeeded' },
    headers: [
      {
        name: 'Cardprocessor-Signature',
        required: true,
        description: '`Stripe-Signature` is taken too',
      },
    ],
  },
  environment: stripeEnvironment,
  create: (settings, { timeoutMs }) => new StripeProvider(settings, timeoutMs),
};
