import type { Soon } from '../../common/concurrency/concurrency.js';
import type { EnvironmentSection } from '../../config/environment-section.js';
import type { OnlineType, PaymentProvider } from './provider-port.js';

/** Common settings for creating a provider. */
export interface ProviderContext {
  /** Address of this service for donors and providers, without a trailing slash. */
  readonly publicUrl: string;
  /** Time limit for one answer, including its body. */
  readonly timeoutMs: number;
}

/** Describes a payment provider, configured or not. */
export interface ProviderDefinition<Settings = unknown> {
  /**
   * Name of the provider. It is stored with every donation, refund and webhook event, and an intent can choose the
   * provider by this name. Never change the name after the first payment.
   */
  readonly name: string;
  /** The `method` of an intent and the `type` of its donations. */
  readonly type: OnlineType;
  readonly webhook: {
    /** Last part of the webhook route `/donations/<path>/webhook`. */
    readonly path: string;
    /** For the API description. */
    readonly summary: string;
    /** A minimal body, for the API description. */
    readonly example: Readonly<Record<string, unknown>>;
    readonly headers: readonly WebhookHeader[];
  };
  /** Environment variables. The name of the section must equal the provider's name. */
  readonly environment: EnvironmentSection<Settings>;
  /**
   * Returns how donors pay on our page. If absent, a wallet sends donors to its own page, and a card provider has no
   * form.
   */
  checkout?(settings: Settings): ProviderCheckout;
  /** Called only for a configured provider, so that the libraries of other providers are not loaded. */
  create(settings: Settings, context: ProviderContext): Soon<PaymentProvider>;
}

/** `form`: the provider's script shows a form in our page. `redirect`: the donor goes to the provider's page. */
export const CHECKOUT_FLOWS = ['form', 'redirect'] as const;

/** Public settings of a provider. */
export interface ProviderCheckout {
  readonly flow: (typeof CHECKOUT_FLOWS)[number];
  /** Name of the provider for a button. */
  readonly label: string;
  /** Public key for the provider's script; never a secret key. Without this key, the page has no form. */
  readonly publishableKey?: string | undefined;
  /** Address of the provider's script, if it differs from the default. */
  readonly scriptUrl?: string | undefined;
  /** Sources that the content security policy of a donation page must allow, by directive. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

/** A header used to verify webhook events. */
export interface WebhookHeader {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
}

/** Injection token of the list of all known providers. */
export const PROVIDER_DEFINITIONS = Symbol('payment provider definitions');

/** @throws Error if a name or path is invalid, or two providers share one */
export function assertDistinct(definitions: readonly ProviderDefinition[]): void {
  const seen = new Set<string>();
  for (const { name, webhook, environment } of definitions) {
    if (!/^[a-z][a-z0-9_]{0,30}$/.test(name) || environment.name !== name)
      throw new Error(
        `The payment provider "${name}" needs a name of lower-case letters, digits and underscores, equal to the name of its section`,
      );
    if (!/^[a-z][a-z0-9-]*$/.test(webhook.path))
      throw new Error(`"${webhook.path}" is not a valid webhook path for ${name}`);
    for (const own of [`name ${name}`, `webhook path ${webhook.path}`]) {
      if (seen.has(own)) throw new Error(`Two payment providers have the ${own}`);
      seen.add(own);
    }
  }
}
