import type { ProviderDefinition } from '../provider-definition.js';
import { STRIPE_WEBHOOK_PATH, type StripeConfig, stripeEnvironment } from './stripe-environment.js';

/** Sources of Stripe's scripts, from https://docs.stripe.com/security/guide#content-security-policy. */
const SCRIPTS = ['https://js.stripe.com', 'https://*.js.stripe.com'];

export const stripe: ProviderDefinition<StripeConfig> = {
  name: 'stripe',
  type: 'card',
  webhook: {
    path: STRIPE_WEBHOOK_PATH,
    summary: 'Webhook events of the card processor, verified by signature',
    example: { id: 'evt_1Qk', object: 'event', type: 'payment_intent.succeeded' },
    headers: [
      {
        name: 'Cardprocessor-Signature',
        required: true,
        description: '`Stripe-Signature` is accepted too',
      },
    ],
  },
  environment: stripeEnvironment,
  checkout: ({ publishableKey, scriptUrl }) => ({
    flow: 'form',
    label: 'Stripe',
    publishableKey,
    scriptUrl: scriptUrl?.href,
    sources: {
      'script-src': scriptUrl ? [scriptUrl.origin] : SCRIPTS,
      'frame-src': scriptUrl ? [scriptUrl.origin] : [...SCRIPTS, 'https://hooks.stripe.com'],
      'connect-src': scriptUrl ? [scriptUrl.origin] : ['https://api.stripe.com'],
      'img-src': scriptUrl ? [] : ['https://*.stripe.com'],
    },
  }),
  create: async (settings, { publicUrl, timeoutMs }) => {
    const { StripeProvider } = await import('./stripe.provider.js');
    return new StripeProvider(settings, publicUrl, timeoutMs);
  },
};
