import { Inject, Injectable } from '@nestjs/common';
import { InvalidInputError, UnavailableError } from '../common/errors/domain-errors.js';
import { Metrics } from '../common/metrics/metrics.js';
import { AppConfig } from '../config/app-config.js';
import type { OnlineType, PaymentNames, PaymentProvider } from './payment-provider.js';
import {
  assertDistinct,
  PROVIDER_DEFINITIONS,
  type ProviderCheckout,
  type ProviderContext,
  type ProviderDefinition,
} from './provider-definition.js';
import { ProviderHealth, timedProvider } from './provider-health.js';

const RETRY_AFTER_SECONDS = 3_600;

/** What a donor can pay with. */
export interface OfferedCheckout extends ProviderCheckout {
  readonly provider: string;
  readonly method: OnlineType;
}

/** The payment providers of this application; `all` are those that have their keys. */
@Injectable()
export class PaymentProviders {
  readonly all: readonly PaymentProvider[];
  /** How donors pay with each of `all`. */
  readonly checkouts: readonly OfferedCheckout[];
  /** Where donors reach this service, without a trailing slash. */
  readonly publicUrl: string;

  constructor(
    @Inject(PROVIDER_DEFINITIONS) private readonly definitions: readonly ProviderDefinition[],
    { sections, publicUrl, providerTimeoutMs: timeoutMs }: AppConfig,
    metrics: Metrics,
    health: ProviderHealth,
  ) {
    assertDistinct(definitions);
    this.publicUrl = publicUrl;
    const configured = definitions.filter(({ name }) => sections.has(name));
    this.checkouts = configured.map(({ name, type, ...definition }) => ({
      provider: name,
      method: type,
      ...(definition.checkout?.(sections.get(name)) ?? {
        flow: type === 'wallet' ? 'redirect' : 'form',
        label: name,
        sources: {},
      }),
    }));
    this.all = configured
      .map((definition) => made(definition, sections.get(definition.name), { publicUrl, timeoutMs }))
      .map((provider) => timedProvider(provider, metrics, health));
  }

  /** Where webhook events arrive, also those of providers without keys. */
  get webhookPaths(): string[] {
    return this.definitions.map(({ webhook }) => `/donations/${webhook.path}/webhook`);
  }

  /** Every provider that this service knows, and whether it has its keys. */
  get names(): { readonly name: string; readonly enabled: boolean }[] {
    return this.definitions.map(({ name }) => ({ name, enabled: this.all.some((one) => one.name === name) }));
  }

  /** Where a person finds a payment in the pages of its provider; undefined where that cannot be said. */
  dashboardUrl(provider: string, payment: PaymentNames): string | undefined {
    return this.all.find(({ name }) => name === provider)?.dashboardUrl?.(payment);
  }

  /** What all of them take in a currency: multiples of so many minor units. Each says a power of ten. */
  stepOf(currency: string): number {
    return Math.max(1, ...this.all.map((provider) => provider.stepOf?.(currency) ?? 1));
  }

  /** Whether this service knows a provider of that name, configured or not. */
  knows(name: string): boolean {
    return this.definitions.some((one) => one.name === name);
  }

  /** @throws UnavailableError (503) when that provider is not configured. */
  named(name: string): PaymentProvider {
    const provider = this.all.find((one) => one.name === name);
    if (!provider) throw off(`The payment provider ${name} is not set up on this server`);
    return provider;
  }

  /**
   * The provider of a new payment: the one named, or the default of the method.
   * @throws InvalidInputError (400) for a name that is none, or is of another method; UnavailableError (503) when
   *   the provider is not configured.
   */
  forIntent(method: OnlineType | undefined, name: string | undefined): PaymentProvider {
    if (name === undefined) return this.ofType(method ?? 'card')[0];
    const definition = this.definitions.find((one) => one.name === name);
    if (!definition) throw new InvalidInputError('PROVIDER_UNKNOWN', 'provider is not one of this service');
    if (method !== undefined && method !== definition.type)
      throw new InvalidInputError(
        'PROVIDER_OF_OTHER_METHOD',
        `provider ${name} takes no payments by ${method}`,
      );
    return this.named(name);
  }

  /**
   * All configured providers of a method, the default first.
   * @throws UnavailableError (503) when there is none.
   */
  ofType(type: OnlineType): readonly [PaymentProvider, ...PaymentProvider[]] {
    const [first, ...others] = this.all.filter((one) => one.type === type);
    if (!first) throw off(`Payments by ${type} are not set up on this server`);
    return [first, ...others];
  }

  /** @throws UnavailableError (503) when the provider that made a donation's payment has lost its keys. */
  ofDonation(name: string | null): PaymentProvider {
    const provider = this.all.find((one) => one.name === name);
    if (!provider) throw off('The payment provider of this donation is not set up');
    return provider;
  }
}

function made(definition: ProviderDefinition, settings: unknown, context: ProviderContext): PaymentProvider {
  const provider = definition.create(settings, context);
  // Donations are kept under the name of the one and looked up by the name of the other.
  if (provider.name !== definition.name || provider.type !== definition.type)
    throw new Error(`The payment provider ${provider.name} is not what ${definition.name} is defined as`);
  return provider;
}

const off = (message: string) => new UnavailableError('PAYMENT_METHOD_OFF', message, RETRY_AFTER_SECONDS);
