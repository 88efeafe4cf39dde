import { Faults } from '../calls/faults.js';
import { Clock } from '../common/clock.js';
import { PayPalSandbox } from '../paypal/sandbox.js';
import { Referee } from '../referee/referee.js';
import { StripeSandbox } from '../stripe/sandbox.js';

export interface WebhookUrls {
  stripe?: string | string[];
  paypal?: string | string[];
}

/** All controls of both providers as methods. `ControlApi` offers the same controls over HTTP. */
export class Controls {
  /** Number of provider calls without an answer yet. */
  protected callsInFlight = 0;

  constructor(
    readonly stripe: StripeSandbox,
    readonly paypal: PayPalSandbox,
    readonly faults: Faults,
    /** The clock for the times of objects. */
    readonly clock: Clock,
    protected readonly judge?: Referee,
  ) {}

  /**
   * Checks every call against PayPal's API descriptions. Throws an error if the sandbox was started without the
   * referee.
   */
  get referee(): Referee {
    if (!this.judge) throw new Error('The referee is off: start the sandbox with `referee: true`');
    return this.judge;
  }

  /** Sets the webhook receivers. A provider that is not in `urls` keeps its receivers. */
  setWebhookUrls(urls: WebhookUrls): void {
    if (urls.stripe !== undefined) this.stripe.setWebhookUrls(urls.stripe);
    if (urls.paypal !== undefined) this.paypal.setWebhookUrls(urls.paypal);
  }

  /** In `manual` mode, webhooks wait for `deliver` or `flush` of `stripe.deliveries` and `paypal.deliveries`. */
  setDeliveryMode(mode: 'auto' | 'manual'): void {
    this.stripe.deliveries.mode = mode;
    this.paypal.deliveries.mode = mode;
  }

  /** Waits until no API call is open, and no webhook is being sent or waits for a retry. Fails after `timeoutMs`. */
  async settled(timeoutMs = 10_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let calm = 0;
    while (calm < 2) {
      const idle =
        this.callsInFlight === 0 && this.stripe.deliveries.isIdle() && this.paypal.deliveries.isIdle();
      calm = idle ? calm + 1 : 0;
      if (calm >= 2) return;
      if (Date.now() > deadline)
        throw new Error('The sandbox still has open calls or webhooks after the timeout');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Returns the possible values of a fault's `operation`, apart from webhooks and `*`. */
  operations(): { stripe: string[]; paypal: string[] } {
    return { stripe: this.stripe.api.operations(), paypal: this.paypal.api.operations() };
  }
}
