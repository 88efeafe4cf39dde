import type { Soon } from '../../common/concurrency/concurrency.js';
import type { EnvironmentSection } from '../../config/environment-section.js';
import type { OnlineType, PaymentProvider } from './provider-port.js';

/** What every provider is made with, besides its own settings. */
export interface ProviderContext {
  /** Where donors and providers reach this service, without a trailing slash. */
  readonly publicUrl: string;
  /** How long one answer may take, its body included. */
  readonly timeoutMs: number;
}

/** All that the service must know about a provider that it may not be configured for. */
export interface ProviderDefinition<Settings = unknown> {
  /**
   * Kept on every donation, refund and webhook event, and how it is chosen in an intent. Never change it for a
   * provider that has taken a payment.
   */
  readonly name: string;
  /** The `method` of an intent and the `type` of its donations. */
  readonly type: OnlineType;
  readonly webhook: {
    /** Its webhook events arrive at `/donations/<path>/webhook`. */
    readonly path: string;
    /** For the API description. */
    readonly summary: string;
    /** The least of a body, for the API description. */
    readonly example: Readonly<Record<string, unknown>>;
    readonly headers: readonly WebhookHeader[];
  };
  /** Its variables; its section's name is the provider's. */
  readonly environment: EnvironmentSection<Settings>;
  /** How donors pay on a page of ours; without it, a wallet leads to its own page and a card has no form. */
  checkout?(settings: Settings): ProviderCheckout;
  /** Asked where it has its keys alone, so that what it runs on is loaded by those who use it. */
  create(settings: Settings, context: ProviderContext): Soon<PaymentProvider>;
}

/** `form`: the provider's script draws a form in our page. `redirect`: the donor goes to the provider's page. */
export const CHECKOUT_FLOWS = ['form', 'redirect'] as const;

/** What may be published about a provider. */
export interface ProviderCheckout {
  readonly flow: (typeof CHECKOUT_FLOWS)[number];
  /** The name that donors know, for a button. */
  readonly label: string;
  /** For the provider's script; never a secret. Without it there is no form. */
  readonly publishableKey?: string | undefined;
  /** Where the provider's script is, when it is not at its own fixed address. */
  readonly scriptUrl?: string | undefined;
  /** What a page that offers it must allow, by directive of its content policy. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

/** A header that a webhook event is verified by. */
export interface WebhookHeader {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
}

/** Nest's token of the list that the application was made with. */
export const PROVIDER_DEFINITIONS = Symbol('payment provider definitions');

/** @throws Error for a list in which two providers could be taken for one another */
export function assertDistinct(definitions: readonly ProviderDefinition[]): void {
  const seen = new Set<string>();
  for (const { name, webhook, environment } of definitions) {
    if (!/^[a-z][a-z0-9_]{0,30}$/.test(name) || environment.name !== name)
      throw new Error(`The payment provider "${name}" needs a plain name, the same as its section's`);
    if (!/^[a-z][a-z0-9-]*$/.test(webhook.path))
      throw new Error(`"${webhook.path}" cannot be the webhook path of ${name}`);
    for (const own of [`name ${name}`, `webhook path ${webhook.path}`]) {
      if (seen.has(own)) throw new Error(`Two payment providers have the ${own}`);
      seen.add(own);
    }
  }
}
