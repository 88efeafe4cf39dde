import fc from 'fast-check';
import type { OfflineDonation, OnlineDonation, World } from './world.js';

/** What can happen, the frequent more often; the first is what a counterexample shrinks to. */
const HAPPENINGS = [
  'all messages arrive',
  'card intent',
  'wallet intent',
  'offline donation',
  'donor pays',
  'donor pays',
  'donor pays',
  'donor pays another sum',
  'donor agrees, no more',
  'bank declines',
  'bank takes its time',
  'bank decides',
  'money comes after the cancellation',
  'provider cancels',
  'checkout page takes money itself',
  'another payment names the donation',
  'admin cancels',
  'admin refunds all',
  'admin refunds all',
  'admin refunds a part',
  'admin refunds a part',
  'admin refunds, the provider waits',
  'admin refunds, the provider declines',
  'refund at the dashboard',
  'refund arrives',
  'refund fails',
  'dispute opens',
  'dispute opens',
  'dispute is won',
  'dispute is lost',
  'dispute is lost',
  'pledge is kept',
  'offline donation is cancelled',
  'donor is corrected',
  'one message arrives',
  'one message arrives',
  'some messages arrive at once',
  'a message comes again',
  'a message is lost',
  'reconciliation',
  'everything at once',
  'a provider stumbles',
] as const;

export interface Step {
  readonly what: (typeof HAPPENINGS)[number];
  /** Which donation, message or refund; taken modulo how many there are. */
  readonly which: number;
  /** Minor units, or a share of what there is. */
  readonly amount: number;
  readonly flag: boolean;
}

export const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...HAPPENINGS),
  which: fc.nat(11),
  amount: fc.integer({ min: 100, max: 3000 }),
  flag: fc.boolean(),
});

/** A donation, or the same donation twice: then both copies live through the same, but for the order of messages. */
type Copies = readonly OnlineDonation[];
type Happening = (step: Step, donation: Copies) => void | Promise<void>;

/** A few donations with much happening to each tell more than many with little. */
const MOST_DONATIONS = 3;

const STUMBLES = [
  ['stripe', 'payment_intents.create'],
  ['stripe', 'payment_intents.cancel'],
  ['stripe', 'payment_intents.retrieve'],
  ['stripe', 'refunds.create'],
  ['stripe', 'refunds.list'],
  ['stripe', 'events.list'],
  ['paypal', 'orders.create'],
  ['paypal', 'orders.get'],
  ['paypal', 'orders.capture'],
  ['paypal', 'captures.get'],
  ['paypal', 'captures.refund'],
  ['paypal', 'refunds.get'],
] as const;

const emailOf = (which: number) => `donor-${which % 4}@example.org`;
const pick = <T>(items: readonly T[], index: number): T | undefined =>
  items[Math.floor(index) % Math.max(1, items.length)];

/** Tells a story step by step to a world. */
export class Story {
  readonly online: Copies[] = [];
  private readonly offline: OfflineDonation[] = [];

  /** @param copies 1, or 2 to compare two orders of delivery of the same facts */
  constructor(
    private readonly world: World,
    private readonly random: () => number,
    private readonly copies: 1 | 2,
  ) {}

  async tell(step: Step): Promise<void> {
    await this.happenings[step.what](step, pick(this.online, step.which) ?? []);
  }

  /** The last messages, and what was lost is asked for. */
  async end(): Promise<void> {
    this.world.app.sandbox.faults.clear();
    await this.world.deliverAll(this.random);
    await this.world.reconcile();
    // Asking may have moved money (a capture), about which the provider tells again.
    await this.world.deliverAll(this.random);
  }

  private readonly happenings: Readonly<Record<Step['what'], Happening>> = {
    'card intent': (step) => this.intents('card', step),
    'wallet intent': (step) => this.intents('wallet', step),
    'offline donation': async ({ amount, flag, which }) => {
      const made = await this.world.record(amount, flag ? 'pledge' : 'cash', emailOf(which));
      if (made) this.offline.push(made);
    },
    'donor pays': async (_, donation) => {
      for (const { method, paymentId } of donation) {
        if (method === 'card') this.attempt(() => this.stripe.pay(paymentId));
        else await this.payByWallet(paymentId, 'complete', true);
      }
    },
    'donor pays another sum': ({ amount, flag }, donation) => {
      const sum = { amount, ...(flag && { currency: 'usd' }) };
      for (const { method, paymentId } of donation) {
        if (method === 'wallet') this.attempt(() => this.paypal.approve(paymentId));
        if (method === 'wallet') this.attempt(() => this.paypal.capture(paymentId, sum));
        else this.attempt(() => this.stripe.pay(paymentId, sum));
      }
    },
    'donor agrees, no more': async (_, donation) => {
      for (const { method, paymentId } of donation)
        if (method === 'wallet') this.attempt(() => this.paypal.approve(paymentId));
      await this.agree();
    },
    'bank declines': async ({ flag }, donation) => {
      for (const { method, paymentId } of donation) {
        if (method === 'card') this.attempt(() => this.stripe.decline(paymentId));
        else await this.payByWallet(paymentId, 'decline', flag);
      }
      await this.agree();
    },
    'bank takes its time': async ({ flag }, donation) => {
      for (const { method, paymentId } of donation) {
        if (method === 'card') this.attempt(() => this.stripe.process(paymentId));
        else await this.payByWallet(paymentId, 'pending', flag);
      }
      await this.agree();
    },
    'bank decides': ({ flag }, donation) => {
      const { stripe, paypal } = this;
      for (const { method, paymentId } of donation) {
        if (method === 'wallet')
          this.attempt(() => (flag ? paypal.completeCapture(paymentId) : paypal.denyCapture(paymentId)));
        else if (stripe.intent(paymentId).status === 'processing')
          this.attempt(() => (flag ? stripe.pay(paymentId) : stripe.decline(paymentId)));
      }
    },
    'money comes after the cancellation': (_, donation) => {
      for (const { method, paymentId } of donation) {
        if (method === 'card') this.attempt(() => this.stripe.pay(paymentId, { force: true }));
        else this.attempt(() => this.paypal.capture(paymentId));
      }
    },
    'provider cancels': (_, donation) => {
      for (const { method, paymentId } of donation) {
        if (method === 'card') this.attempt(() => this.stripe.cancel(paymentId));
        // Whether an agreed order is captured or lost is a race against our own capture.
        else if (this.copies === 1) this.attempt(() => this.paypal.void(paymentId));
      }
    },
    'checkout page takes money itself': ({ amount, flag, which }) => {
      const { event, foreign } = this.world;
      const [currency, ref] = ['eur', flag ? event.id : event.slug];
      const { id } =
        which % 2 === 0
          ? this.stripe.createPaid({ amount, currency, metadata: { eventId: ref } })
          : this.paypal.createCapturedOrder({ amount, currency, custom_id: `event:${ref}` });
      foreign.push(id);
    },
    'another payment names the donation': ({ amount }, donation) => {
      for (const { donationId } of donation) {
        const metadata = { donationId, eventId: this.world.event.id };
        this.world.foreign.push(this.stripe.createPaid({ amount, currency: 'eur', metadata }).id);
      }
    },
    'admin cancels': (_, donation) => this.command(donation, { shouldRefund: false }),
    'admin refunds all': (_, donation) => this.command(donation, { shouldRefund: true }),
    'admin refunds a part': ({ amount }, donation) =>
      this.command(donation, { shouldRefund: true, amount: Math.ceil(amount / 4) }),
    'admin refunds, the provider waits': (step, donation) => this.refundWith('pending', step, donation),
    'admin refunds, the provider declines': (step, donation) => this.refundWith('decline', step, donation),
    'refund at the dashboard': ({ amount, flag, which }, donation) => {
      const options = { pending: flag, ...(which % 2 === 0 && { amount: Math.ceil(amount / 3) }) };
      for (const { method, paymentId } of donation)
        this.attempt(() =>
          method === 'card' ? this.stripe.refund(paymentId, options) : this.paypal.refund(paymentId, options),
        );
    },
    'refund arrives': ({ amount }, donation) => {
      for (const one of donation)
        this.attempt(() => {
          const refund = this.refundOf(one, amount);
          if (refund) this.providerOf(one).settleRefund(refund.id);
        });
    },
    'refund fails': ({ amount }, donation) => {
      for (const one of donation)
        this.attempt(() => {
          const refund = this.refundOf(one, amount);
          // At PayPal only what waits can fail, and nobody is told.
          if (refund && (one.method === 'card' || refund.status === 'PENDING'))
            this.providerOf(one).failRefund(refund.id);
        });
    },
    'dispute opens': ({ amount, flag, which }, donation) => {
      const part = flag ? { amount: Math.ceil(amount / 2) } : {};
      for (const { method, paymentId } of donation)
        this.attempt(() =>
          method === 'card'
            ? this.stripe.openDispute(paymentId, { ...part, inquiry: which % 3 === 0 })
            : this.paypal.reverse(paymentId, part),
        );
    },
    'dispute is won': (_, donation) => {
      for (const { method, paymentId } of donation)
        if (method === 'card') this.attempt(() => this.stripe.winDispute(paymentId));
    },
    'dispute is lost': (_, donation) => {
      for (const { method, paymentId } of donation)
        if (method === 'card') this.attempt(() => this.stripe.loseDispute(paymentId));
    },
    'pledge is kept': async ({ which }) => {
      const pledges = this.offline.filter(({ pledge }) => pledge);
      const id = pick(pledges, which)?.donationId;
      if (id) await this.world.call('POST', `/donations/${id}/fulfil`, { type: 'cash' });
    },
    'offline donation is cancelled': async ({ which, flag, amount }) => {
      const id = pick(this.offline, which)?.donationId;
      const part = flag && amount % 3 === 0 ? { amount: Math.ceil(amount / 3) } : {};
      if (id) await this.world.cancel(id, { shouldRefund: flag, ...part });
    },
    'donor is corrected': async ({ which, flag, amount }, donation) => {
      const id = donation[0]?.donationId ?? pick(this.offline, which)?.donationId;
      if (!id || this.copies === 2) return;
      const donorEmail = flag ? emailOf(amount) : null;
      await this.world.call('PATCH', `/donations/${id}`, { donorEmail, donorName: 'Grace' });
    },
    'one message arrives': async () => {
      const message = pick(this.world.waiting(), this.random() * 1000);
      if (message) await this.world.deliver(message);
    },
    'some messages arrive at once': async ({ which }) => {
      const some = this.world.waiting().slice(-4);
      await Promise.all(some.map((message) => this.world.deliverAtOnce(message, 1 + (which % 3))));
    },
    'all messages arrive': () => this.world.deliverAll(this.random),
    'a message comes again': async () => {
      const message = pick(this.world.handed(), this.random() * 1000);
      if (message) await this.world.deliver(message, 2);
    },
    'a message is lost': () => {
      const message = pick(this.world.waiting(), this.random() * 1000);
      if (message) this.world.drop(message);
    },
    reconciliation: () => this.world.reconcile(),
    // Real concurrency: admins, a donor's page, the network and reconciliation in the same moment.
    'everything at once': async ({ which, flag }, donation) => {
      const [one] = donation;
      if (!one || this.copies === 2) return;
      const { method, paymentId, donationId } = one;
      if (method === 'wallet') this.attempt(() => this.paypal.approve(paymentId));
      else if (which % 2 === 0) this.attempt(() => this.stripe.pay(paymentId));
      await Promise.all([
        this.world.cancel(donationId, { shouldRefund: flag }),
        this.world.cancel(donationId, { shouldRefund: true }),
        ...(method === 'wallet' ? [this.capture(paymentId)] : []),
        ...this.world.waiting().map((message) => this.world.deliverAtOnce(message, 2)),
        this.world.reconcile(),
      ]);
    },
    // Before or after the effect, and longer than the client tries again.
    'a provider stumbles': ({ which, flag, amount }) => {
      if (this.copies === 2) return;
      this.world.mayStumble = true;
      const [provider, operation] = pick(STUMBLES, which) ?? STUMBLES[0];
      const kind = amount % 2 === 0 ? 'reset' : 'error';
      this.world.app.sandbox.faults.add({ provider, operation, kind, after: flag, times: 3 });
    },
  };

  private get stripe() {
    return this.world.app.sandbox.stripe;
  }

  private get paypal() {
    return this.world.app.sandbox.paypal;
  }

  private providerOf({ method }: OnlineDonation) {
    return method === 'card' ? this.stripe : this.paypal;
  }

  private refundOf(donation: OnlineDonation, index: number): { id: string; status: string } | undefined {
    return pick<{ id: string; status: string }>(
      this.providerOf(donation).refundsOf(donation.paymentId),
      index,
    );
  }

  /** What the provider's present state forbids does not happen. */
  private attempt(control: () => unknown): void {
    try {
      control();
    } catch {
      // refused
    }
  }

  private async intents(method: 'card' | 'wallet', { amount, flag, which }: Step): Promise<void> {
    if (this.online.length >= MOST_DONATIONS) return;
    const donations: OnlineDonation[] = [];
    for (let copy = 0; copy < this.copies; copy += 1) {
      const donation = await this.world.tryIntent(method, amount, flag ? emailOf(which) : null);
      if (donation) donations.push(donation);
    }
    if (donations.length > 0) this.online.push(donations);
  }

  private async payByWallet(
    orderId: string,
    outcome: 'complete' | 'pending' | 'decline',
    capture: boolean,
  ): Promise<void> {
    this.attempt(() => this.paypal.onCapture(orderId, { outcome }));
    this.attempt(() => this.paypal.approve(orderId));
    if (capture) await this.capture(orderId);
  }

  private async capture(orderId: string): Promise<void> {
    await this.world.call('POST', `/donations/wallet/${orderId}/capture`);
  }

  private async refundWith(
    kind: 'pending' | 'decline',
    { amount, flag }: Step,
    donation: Copies,
  ): Promise<void> {
    const part = flag ? { amount: Math.ceil(amount / 3) } : {};
    await this.command(donation, { shouldRefund: true, ...part }, kind);
  }

  /** The admin's commands are compared where both copies know the same. */
  private async command(
    donation: Copies,
    body: { shouldRefund: boolean; amount?: number },
    fault?: 'pending' | 'decline',
  ): Promise<void> {
    await this.agree();
    const { faults } = this.world.app.sandbox;
    const statuses: number[] = [];
    for (const { method, donationId } of donation) {
      if (fault && method === 'card')
        faults.add({ provider: 'stripe', operation: 'refunds.create', kind: fault });
      if (fault && method === 'wallet')
        faults.add({ provider: 'paypal', operation: 'captures.refund', kind: fault });
      statuses.push((await this.world.cancel(donationId, body)).status);
    }
    if (fault) faults.clear();
    if (new Set(statuses).size > 1) throw new Error(`The copies were answered ${statuses.join(' and ')}`);
  }

  /** Before our own acts, a capture or a command, both copies learn all that there is to know. */
  private async agree(): Promise<void> {
    if (this.copies === 1) return;
    await this.world.deliverAll(this.random);
    if (this.world.hasDropped) await this.world.reconcile();
  }
}
