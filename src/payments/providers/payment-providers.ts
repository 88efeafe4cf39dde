import { Inject, Injectable } from '@nestjs/common';
import { InvalidInputError, UnavailableError } from '../../common/errors/domain-errors.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { CURRENCIES, currencyExponent, isCurrency } from '../../common/money/money.js';
import { AppConfig } from '../../config/app-config.js';
import { PayableCurrencies } from '../../events/payable-currencies.js';
import { CONFIGURED_PROVIDERS, configuredOf } from './configured-providers.js';
import {
  PROVIDER_DEFINITIONS,
  type ProviderCheckout,
  type ProviderDefinition,
} from './provider-definition.js';
import { ProviderHealth } from './provider-health.js';
import type { OnlineType, PaymentNames, PaymentProvider } from './provider-port.js';
import { timedProvider } from './timed-provider.js';

const RETRY_AFTER_SECONDS = 3_600;

/** One way to pay online. */
export interface OfferedCheckout extends ProviderCheckout {
  readonly provider: string;
  readonly method: OnlineType;
  /** Currencies that the provider accepts; absent if the provider has no list. */
  readonly currencies?: readonly string[];
  /** Payments must be multiples of this number of minor units, by currency. Currencies with step 1 are omitted. */
  readonly steps: Readonly<Record<string, number>>;
}

/** The payment providers of this application. `all` contains the providers whose keys are set. */
@Injectable()
export class PaymentProviders {
  readonly all: readonly PaymentProvider[];
  /** Ways to pay online, one for each provider in `all`. */
  readonly checkouts: readonly OfferedCheckout[];
  /** Address of this service for donors, without a trailing slash. */
  readonly publicUrl: string;

  constructor(
    @Inject(PROVIDER_DEFINITIONS) private readonly definitions: readonly ProviderDefinition[],
    @Inject(CONFIGURED_PROVIDERS) configured: readonly PaymentProvider[],
    { sections, publicUrl }: AppConfig,
    metrics: Metrics,
    health: ProviderHealth,
    payable: PayableCurrencies,
  ) {
    this.publicUrl = publicUrl;
    this.all = configured.map((provider) => {
      provider.rights?.watch((right, isGiven) => {
        health.right(provider, right, isGiven);
      });
      return timedProvider(provider, metrics, health);
    });
    this.checkouts = configuredOf(definitions, sections).map(({ name, type, ...definition }) => ({
      provider: name,
      method: type,
      ...takenBy(this.named(name)),
      ...(definition.checkout?.(sections.get(name)) ?? {
        flow: type === 'wallet' ? 'redirect' : 'form',
        label: name,
        sources: {},
      }),
    }));
    payable.decidedBy((currency) => this.refusalOfCurrency(currency));
  }

  /** Webhook paths of all providers, also of those without keys. */
  get webhookPaths(): string[] {
    return this.definitions.map(({ webhook }) => `/donations/${webhook.path}/webhook`);
  }

  /** Every known provider. `enabled` is true if the keys of the provider are set. */
  get names(): { readonly name: string; readonly enabled: boolean }[] {
    return this.definitions.map(({ name }) => ({ name, enabled: this.all.some((one) => one.name === name) }));
  }

  /** Returns the address of a payment in the provider's dashboard; undefined if the address is not known. */
  dashboardUrl(provider: string, payment: PaymentNames): string | undefined {
    return this.all.find(({ name }) => name === provider)?.dashboardUrl?.(payment);
  }

  /**
   * Returns the step of a currency in minor units. All providers of the currency accept multiples of the returned
   * step, because each provider's step is a power of ten.
   * @param amount if given, only providers that accept exactly this amount are used
   */
  stepOf(currency: string, amount?: bigint): number {
    const takers = this.all.filter((provider) => takes(provider, currency, amount));
    return Math.max(1, ...takers.map((provider) => provider.stepOf?.(currency) ?? 1));
  }

  /** Returns the ways to pay in a currency, or to pay exactly that amount. */
  offeredFor(currency: string, amount?: bigint): readonly OfferedCheckout[] {
    return this.checkouts.filter(({ provider }) => takes(this.named(provider), currency, amount));
  }

  /**
   * Returns the reason why no configured provider accepts an amount. Undefined if a provider accepts the amount, or
   * if no provider is configured.
   */
  refusalOf(amount: bigint, currency: string): string | undefined {
    // If some providers accept the currency, use only the reasons of these providers.
    const takers = this.all.filter((provider) => takes(provider, currency));
    const asked = takers.length > 0 ? takers : this.all;
    const refusals = asked.map((provider) => refusalOf(provider, amount, currency));
    return refusals.includes(undefined) ? undefined : [...new Set(refusals)].join('; ') || undefined;
  }

  private refusalOfCurrency(currency: string): string | undefined {
    // Every provider of a currency accepts 100 units, such as 100 euros.
    const usual = 100n * 10n ** BigInt(currencyExponent(currency));
    return this.all.some((provider) => takes(provider, currency))
      ? undefined
      : this.refusalOf(usual, currency);
  }

  /** True if this service knows a provider of that name, configured or not. */
  knows(name: string): boolean {
    return this.definitions.some((one) => one.name === name);
  }

  /** @throws UnavailableError (503) if that provider is not configured */
  named(name: string): PaymentProvider {
    const provider = this.all.find((one) => one.name === name);
    if (!provider) throw off(`The payment provider ${name} is not set up on this server`);
    return provider;
  }

  /**
   * Returns the provider of a new payment: the named one, or the default of the method.
   * @throws InvalidInputError (400) if the name is unknown or belongs to another method; UnavailableError (503) if
   *   the provider is not configured
   */
  forIntent(method: OnlineType | undefined, name: string | undefined): PaymentProvider {
    if (name === undefined) return this.ofType(method ?? 'card')[0];
    const definition = this.definitions.find((one) => one.name === name);
    if (!definition) throw new InvalidInputError('PROVIDER_UNKNOWN', 'provider is not known to this service');
    if (method !== undefined && method !== definition.type)
      throw new InvalidInputError(
        'PROVIDER_OF_OTHER_METHOD',
        `provider ${name} does not support payments by ${method}`,
      );
    return this.named(name);
  }

  /**
   * Returns all configured providers of a method, the default first.
   * @throws UnavailableError (503) if no such provider is configured
   */
  ofType(type: OnlineType): readonly [PaymentProvider, ...PaymentProvider[]] {
    const [first, ...others] = this.all.filter((one) => one.type === type);
    if (!first) throw off(`Payments by ${type} are not set up on this server`);
    return [first, ...others];
  }

  /** @throws UnavailableError (503) if the keys of the donation's provider are no longer set */
  ofDonation(name: string | null): PaymentProvider {
    const provider = this.all.find((one) => one.name === name);
    if (!provider) throw off('The payment provider of this donation is not set up');
    return provider;
  }
}

/** Returns the currencies and steps that a provider accepts. */
function takenBy(provider: PaymentProvider): Pick<OfferedCheckout, 'currencies' | 'steps'> {
  const { currencies } = provider;
  const steps = (currencies ?? CURRENCIES)
    .map((currency) => [currency, provider.stepOf?.(currency) ?? 1] as const)
    .filter(([currency, step]) => isCurrency(currency) && step > 1);
  return { ...(currencies && { currencies }), steps: Object.fromEntries(steps) };
}

/** True if a provider accepts a currency and, if given, exactly that amount. */
const takes = (provider: PaymentProvider, currency: string, amount?: bigint): boolean =>
  (provider.currencies?.includes(currency) ?? true) &&
  (amount === undefined || refusalOf(provider, amount, currency) === undefined);

function refusalOf(provider: PaymentProvider, amount: bigint, currency: string): string | undefined {
  try {
    provider.assertTakes(amount, currency);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
}

const off = (message: string) => new UnavailableError('PAYMENT_METHOD_OFF', message, RETRY_AFTER_SECONDS);
