import type { ProviderDefinition } from '../provider-definition.js';
import { type PayPalConfig, paypalEnvironment } from './paypal-environment.js';

export const paypal: ProviderDefinition<PayPalConfig> = {
  name: 'paypal',
  type: 'wallet',
  webhook: {
    path: 'wallet',
    summary: 'Webhook events of the wallet provider, verified by signature',
    example: { id: 'WH-1', event_type: 'CHECKOUT.ORDER.COMPLETED' },
    headers: [
      'PayPal-Transmission-Id',
      'PayPal-Transmission-Time',
      'PayPal-Transmission-Sig',
      'PayPal-Cert-Url',
      'PayPal-Auth-Algo',
    ].map((name) => ({ name, required: true, description: "A part of the event's signature" })),
  },
  environment: paypalEnvironment,
  checkout: ({ apiUrl }) => ({
    flow: 'redirect',
    label: 'PayPal',
    // The content security policy allows a form to redirect only to these addresses.
    sources: {
      'form-action': apiUrl.hostname.endsWith('.paypal.com')
        ? ['https://www.paypal.com', 'https://www.sandbox.paypal.com']
        : [apiUrl.origin],
    },
  }),
  create: async (settings, { publicUrl, timeoutMs }) => {
    const [{ PayPalClient }, { PayPalProvider }] = await Promise.all([
      import('./paypal-client.js'),
      import('./paypal.provider.js'),
    ]);
    return new PayPalProvider(settings, publicUrl, new PayPalClient(settings, { timeoutMs }));
  },
};
