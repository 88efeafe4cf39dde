import { Injectable } from '@nestjs/common';
import { UnavailableError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import type { PaymentProvider } from './payment-provider.js';
import { PayPalClient } from './paypal/paypal-client.js';
import { PayPalProvider } from './paypal/paypal.provider.js';
import { StripeProvider } from './stripe/stripe.provider.js';

/** The providers that have their keys. A further one is a folder beside these and a line here. */
@Injectable()
export class PaymentProviders {
  readonly all: readonly PaymentProvider[];

  constructor({ stripe, paypal, publicUrl, providerTimeoutMs: timeoutMs }: AppConfig) {
    this.all = [
      ...(stripe ? [new StripeProvider(stripe, timeoutMs)] : []),
      ...(paypal ? [new PayPalProvider(paypal, publicUrl, new PayPalClient(paypal, { timeoutMs }))] : []),
    ];
  }

  byName(name: string | null): PaymentProvider | undefined {
    return this.all.find((provider) => provider.name === name);
  }

  /** @throws UnavailableError (503) when no provider of the type is configured. */
  ofType(type: 'card' | 'wallet'): PaymentProvider {
    const provider = this.all.find((one) => one.type === type);
    if (!provider)
      throw new UnavailableError(
        'PAYMENT_METHOD_OFF',
        `Payments by ${type} are not set up on this server`,
        3600,
      );
    return provider;
  }

  /** @throws UnavailableError (503) when the provider that made a donation's payment has lost its keys. */
  ofDonation(name: string | null): PaymentProvider {
    const provider = this.byName(name);
    if (!provider)
      throw new UnavailableError(
        'PAYMENT_METHOD_OFF',
        'The payment provider of this donation is not set up',
        3600,
      );
    return provider;
  }
}
