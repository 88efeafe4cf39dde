import { Faults } from '../calls/faults.js';
import { Clock } from '../common/clock.js';
import { PayPalSandbox } from '../paypal/sandbox.js';
import { Referee } from '../referee/referee.js';
import { StripeSandbox } from '../stripe/sandbox.js';

export interface WebhookUrls {
  stripe?: string | string[];
  paypal?: string | string[];
}

/** All that a test or a person can do to both providers, by methods; `ControlApi` offers the same over HTTP. */
export class Controls {
  /** Calls to the providers that wait for their answer. */
  protected callsInFlight = 0;

  constructor(
    readonly stripe: StripeSandbox,
    readonly paypal: PayPalSandbox,
    readonly faults: Faults,
    /** The time by which objects are dated. */
    readonly clock: Clock,
    protected readonly judge?: Referee,
  ) {}

  /** PayPal's descriptions held against every call. A sandbox without one says so instead of finding nothing. */
  get referee(): Referee {
    if (!this.judge) throw new Error('The referee is off: start the sandbox with `referee: true`');
    return this.judge;
  }

  /** Says where the webhooks go; a provider left out keeps its receivers. */
  setWebhookUrls(urls: WebhookUrls): void {
    if (urls.stripe !== undefined) this.stripe.setWebhookUrls(urls.stripe);
    if (urls.paypal !== undefined) this.paypal.setWebhookUrls(urls.paypal);
  }

  /** `manual`: webhooks wait for `deliver` or `flush` of `stripe.deliveries` and `paypal.deliveries`. */
  setDeliveryMode(mode: 'auto' | 'manual'): void {
    this.stripe.deliveries.mode = mode;
    this.paypal.deliveries.mode = mode;
  }

  /**
   * Resolves when no API call is being answered, no webhook is on its way and none waits for a retry.
   * Rejects after `timeoutMs`.
   */
  async settled(timeoutMs = 10_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let calm = 0;
    while (calm < 2) {
      const idle =
        this.callsInFlight === 0 && this.stripe.deliveries.isIdle() && this.paypal.deliveries.isIdle();
      calm = idle ? calm + 1 : 0;
      if (calm >= 2) return;
      if (Date.now() > deadline) throw new Error('The sandbox did not come to rest');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The operations that faults can name. */
  operations(): { stripe: string[]; paypal: string[] } {
    return { stripe: this.stripe.api.operations(), paypal: this.paypal.api.operations() };
  }
}
