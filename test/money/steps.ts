import fc from 'fast-check';
import { DAY_MS } from '../../sandbox/common/clock.js';
import { VOUCHER_KINDS } from '../../sandbox/stripe/next-actions.js';
import { newId } from '../../src/common/crypto/ids.js';
import { Backup } from './backup.js';
import { loseDispute, moveDisputeOn, openDispute, winDispute } from './dispute-steps.js';
import { reconcileByHand } from './operator.js';
import { RepeatedCancels } from './repeated-cancels.js';
import { TerminalQueue } from './terminal-queue.js';
import type { OfflineDonation, OnlineDonation, World } from './world.js';

/** All possible steps. Frequent steps have more entries. A counterexample shrinks to the first entries. */
export const HAPPENINGS = [
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
  'donor takes a voucher',
  'voucher runs out',
  'a day passes',
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
  'the same refund is asked for again',
  'dispute opens',
  'dispute opens',
  'dispute moves on',
  'dispute moves on',
  'dispute is won',
  'dispute is lost',
  'dispute is lost',
  'pledge is kept',
  'offline donation is cancelled',
  'donor is corrected',
  'a terminal queues a record',
  'two sessions send the queue',
  'the event is renamed',
  'the answer to an intent is lost',
  'a gap of days',
  'a backup is made',
  'the backup is restored',
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
  /** Selects a donation, message or refund: its index, modulo the number of these objects. */
  readonly which: number;
  /** An amount in minor units, or a number from which a step computes a share of the available amount. */
  readonly amount: number;
  readonly flag: boolean;
}

export const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...HAPPENINGS),
  which: fc.nat(11),
  amount: fc.integer({ min: 100, max: 3000 }),
  flag: fc.boolean(),
});

/** One donation, or two copies of a donation that differ only in the order of their messages. */
type Copies = readonly OnlineDonation[];
type Happening = (step: Step, donation: Copies) => void | Promise<void>;

/** A few donations with many steps each find more errors than many donations with few steps. */
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

/** Kinds of findings of a run that could not read a list to its end. */
const ASKED: ReadonlySet<string> = new Set(['walk', 'message', 'provider']);

const LOST_INTENTS = {
  card: ['card', 'stripe', 'payment_intents.create'],
  wallet: ['wallet', 'paypal', 'orders.create'],
} as const;

const SLOW_METHODS = ['card', 'sepa_debit', 'us_bank_account', 'bacs_debit'] as const;

const emailOf = (which: number) => `donor-${which % 4}@example.org`;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const MINUTE = 60_000;
const pick = <T>(items: readonly T[], index: number): T | undefined =>
  items[Math.floor(index) % Math.max(1, items.length)];

/** Plays a story in a world, step by step. */
export class Story {
  readonly online: Copies[] = [];
  /** Steps that the state of the provider forbade. */
  readonly refused: Step['what'][] = [];
  private offline: OfflineDonation[] = [];
  private readonly queue: TerminalQueue;
  private readonly cancels: RepeatedCancels;
  private backup: Backup | undefined;
  /** Number of days for which the books may lack facts that no message will report. */
  private unknownDays = 0;
  private hadGap = false;
  private oldestDays = 1;
  private present: Step['what'] = 'all messages arrive';

  /** @param copies 1, or 2 to compare two orders of the same messages */
  constructor(
    private readonly world: World,
    private readonly random: () => number,
    private readonly copies: 1 | 2,
  ) {
    this.queue = new TerminalQueue(world);
    this.cancels = new RepeatedCancels(world);
    // The clock starts in the past, so that each step can be later than the previous step. Messages of the same second have no
    // order.
    world.app.sandbox.clock.reset();
    world.app.sandbox.clock.advance(-24 * MINUTE);
  }

  async play(step: Step): Promise<void> {
    this.present = step.what;
    const underWay = this.underWay();
    await this.happenings[step.what](step, pick(this.online, step.which) ?? []);
    const lost = underWay.filter((id) => this.stripe.intent(id).status === 'canceled');
    if (step.what !== 'provider cancels' && lost.length > 0)
      throw new Error(`${step.what}: cancelled ${lost.join(', ')}, which could still be paid`);
    this.world.app.sandbox.clock.advance(MINUTE / 2);
  }

  /**
   * Delivers the last messages, lets reconciliation read the lost messages, and assigns unmatched payments as
   * an admin would.
   */
  async end(): Promise<void> {
    const { world } = this;
    world.app.sandbox.faults.clear();
    await world.deliverAll(this.random);
    await this.heal();
    // Reconciliation may capture a payment. The provider then sends another message.
    await world.deliverAll(this.random);
    await world.assignUnmatched();
    await this.queue.send(this.random);
    await this.queue.check();
    await this.cancels.check();
    await world.deliverAll(this.random);
    await this.backup?.drop();
    world.app.sandbox.clock.reset();
  }

  /** Returns card payments that the bank is still processing, or whose donor has a valid voucher. */
  private underWay(): string[] {
    const now = Date.now() / 1000;
    return this.online.flat().flatMap(({ method, paymentId }) => {
      if (method === 'wallet') return [];
      const { status, next_action: action } = this.stripe.intent(paymentId);
      const details = action?.[action.type] as { expires_at?: number; expires_after?: number } | undefined;
      const until = details?.expires_at ?? details?.expires_after ?? 0;
      return status === 'processing' || (status === 'requires_action' && until > now) ? [paymentId] : [];
    });
  }

  /** Reconciles the whole period in which facts may be missing. Reads a provider again if it failed. */
  private async heal(): Promise<void> {
    if (!this.hadGap) {
      await this.world.reconcile();
      return;
    }
    const days = this.unknownDays;
    const report = await reconcileByHand(this.world.app, days > 0 ? daysAgo(days) : undefined);
    if (report.findings.some(({ what, result }) => ASKED.has(what) && result !== 'healed')) return;
    this.unknownDays = 0;
    this.hadGap = false;
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
    'bank takes its time': async ({ flag, which }, donation) => {
      const slow = pick(SLOW_METHODS, which) ?? 'card';
      for (const { method, paymentId } of donation) {
        if (method === 'card') this.attempt(() => this.stripe.process(paymentId, { method: slow }));
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
    'donor takes a voucher': async ({ which, flag }, donation) => {
      const kind = pick(VOUCHER_KINDS, which) ?? 'multibanco';
      for (const { method, paymentId } of donation) {
        if (method === 'card') this.attempt(() => this.stripe.issueVoucher(paymentId, { kind }));
        else await this.payByWallet(paymentId, 'pending', flag);
      }
      await this.agree();
    },
    'voucher runs out': (_, donation) => {
      for (const { method, paymentId } of donation)
        if (method === 'card') this.attempt(() => this.stripe.expireVoucher(paymentId));
    },
    // Reconciliation cancels a donation that is unpaid after a day and that the donor can no longer pay.
    'a day passes': async () => {
      await this.agree();
      const underWay = new Set(this.underWay());
      await this.world.age(this.online.flat());
      await this.world.reconcile();
      await this.expectExpired(underWay);
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
        // Our own capture decides if an approved order is captured or lost.
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
    // Without a key, like a click: each request then gets a new key.
    'admin refunds all': ({ flag }, donation) =>
      this.command(donation, { shouldRefund: true }, undefined, flag),
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
          // At PayPal only a pending refund can fail, and no message reports the failure.
          if (refund && (one.method === 'card' || refund.status === 'PENDING'))
            this.providerOf(one).failRefund(refund.id);
        });
    },
    'dispute opens': (step, donation) => this.atProvider(openDispute, step, donation),
    'dispute moves on': (step, donation) => this.atProvider(moveDisputeOn, step, donation),
    'dispute is won': (step, donation) => this.atProvider(winDispute, step, donation),
    'dispute is lost': (step, donation) => this.atProvider(loseDispute, step, donation),
    // If the first request under a key came before the payment, its repeat after the payment makes a refund.
    // Two copies of a donation could then differ, so only stories with one copy repeat requests.
    'the same refund is asked for again': ({ which }) =>
      this.copies === 1 ? this.cancels.again(which) : undefined,
    'pledge is kept': async ({ which }) => {
      const pledges = this.offline.filter(({ pledge }) => pledge);
      const id = pick(pledges, which)?.donationId;
      if (id) await this.world.call('POST', `/donations/${id}/fulfil`, { type: 'cash' });
    },
    'offline donation is cancelled': async ({ which, flag, amount }) => {
      const id = pick(this.offline, which)?.donationId;
      const part = flag && amount % 3 === 0 ? { amount: Math.ceil(amount / 3) } : {};
      if (id) await this.cancels.ask(id, { shouldRefund: flag, ...part }, newId());
    },
    'a terminal queues a record': ({ amount, which }) => {
      this.queue.add(amount, emailOf(which));
    },
    'two sessions send the queue': () => this.queue.send(this.random),
    'the event is renamed': ({ which, flag }) => this.world.rename(`Gala ${which}`, flag),
    // The provider has created the payment, but its answer is lost. The page repeats the request after the event was renamed.
    'the answer to an intent is lost': async ({ amount, which, flag }) => {
      if (this.copies === 2 || this.online.length >= MOST_DONATIONS) return;
      const { faults } = this.world.app.sandbox;
      const [method, provider, operation] = which % 2 === 0 ? LOST_INTENTS.card : LOST_INTENTS.wallet;
      faults.add({ provider, operation, kind: 'reset', after: true, times: 0 });
      const key = newId();
      const first = await this.world.tryIntent(method, amount, null, 'eur', { key, mayFail: true });
      faults.clear();
      if (first) throw new Error('the intent was answered although its provider gave no answer');
      await this.world.rename(`Gala ${amount}`, flag);
      const again = await this.world.tryIntent(method, amount, null, 'eur', { key });
      if (!again) throw new Error('the repeated intent was refused');
      this.online.push([again]);
    },
    // A short gap, whose messages the provider still lists, or a gap so long that only a complete reading of the payments finds
    // them.
    'a gap of days': async ({ which, amount, flag }, donation) => {
      if (this.copies === 2) return;
      const before = new Set(this.world.waiting().map(({ id }) => id));
      const days = flag ? 40 : 12;
      this.world.app.sandbox.clock.at(daysAgo(days), () => {
        this.withoutUs(amount, which, donation);
      });
      for (const message of this.world.waiting()) if (!before.has(message.id)) this.world.drop(message);
      this.hadGap = true;
      if (flag) this.unknownDays = days + 1;
      this.oldestDays = Math.max(this.oldestDays, days + 1);
      await this.heal();
    },
    'a backup is made': async () => {
      if (this.copies === 2) return;
      await this.backup?.drop();
      this.backup = await Backup.take(this.world.app);
    },
    // The restore deletes later rows, and their messages do not come again. So reconciliation must read all payments of the
    // providers.
    'the backup is restored': async () => {
      if (!this.backup) return;
      await this.backup.restore();
      await this.forgetLost();
      // The gap includes messages of an earlier outage that was repaired after the backup.
      this.hadGap = true;
      this.unknownDays = this.oldestDays;
      await this.heal();
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
    reconciliation: async () => {
      await this.world.reconcile();
    },
    // Real concurrency: admins, a donor's page, the network and reconciliation act at the same moment.
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
    // The provider fails before or after the effect of a call, for longer than the client retries.
    'a provider stumbles': ({ which, flag, amount }) => {
      if (this.copies === 2) return;
      this.world.mayStumble = true;
      const [provider, operation] = pick(STUMBLES, which) ?? STUMBLES[0];
      const kind = amount % 2 === 0 ? 'reset' : 'error';
      this.world.app.sandbox.faults.add({ provider, operation, kind, after: flag, times: 3 });
    },
  };

  /** A day passes. Checks that the expired card payments are closed, and all others stay open. */
  private async expectExpired(underWay: ReadonlySet<string>): Promise<void> {
    if (this.world.mayStumble) return;
    const cards = this.online.flat().filter(({ method }) => method === 'card');
    const statuses = await this.world.statusesOf(cards);
    for (const { donationId, paymentId } of cards) {
      const status = statuses.get(donationId);
      const isOpen = status === 'PENDING' || status === 'FAILED';
      if (underWay.has(paymentId) && status === 'CANCELLED')
        throw new Error(`${donationId} is cancelled but may still be paid`);
      if (isOpen && !underWay.has(paymentId) && this.stripe.intent(paymentId).status !== 'succeeded')
        throw new Error(`${donationId} is unpaid and open after a day`);
    }
  }

  /** During an outage, checkout pages receive payments and the provider refunds, without any message. */
  private withoutUs(amount: number, which: number, donation: Copies): void {
    const { event, foreign } = this.world;
    const [currency, metadata] = ['eur', { eventId: event.id }];
    foreign.push(this.stripe.createPaid({ amount, currency, metadata }).id);
    foreign.push(this.paypal.createCapturedOrder({ amount, currency, custom_id: `event:${event.id}` }).id);
    const { id: disputed } = this.stripe.createPaid({ amount: amount + 1, currency, metadata });
    foreign.push(disputed);
    this.stripe.openDispute(disputed, { inquiry: which % 2 === 0 });
    if (which % 2 === 0) this.stripe.escalateDispute(disputed);
    this.stripe.loseDispute(disputed);
    for (const one of donation)
      this.attempt(() => this.providerOf(one).refund(one.paymentId, { amount: Math.ceil(amount / 4) }));
  }

  private async forgetLost(): Promise<void> {
    await this.world.readAgain();
    this.cancels.forget();
    await this.queue.forgetLost();
    const left = new Set((await this.world.donations()).map(({ id }) => id));
    this.offline = this.offline.filter(({ donationId }) => left.has(donationId));
  }

  private atProvider(
    act: (sandbox: World['app']['sandbox'], donation: OnlineDonation, step: Step) => unknown,
    step: Step,
    donation: Copies,
  ): void {
    for (const one of donation) this.attempt(() => act(this.world.app.sandbox, one, step));
  }

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

  /** Runs an action, and ignores it if the state of the provider forbids it. */
  private attempt(control: () => unknown): void {
    try {
      control();
    } catch {
      this.refused.push(this.present);
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

  /** Sends an admin command for each copy and compares the answers, after both copies have the same facts. */
  private async command(
    donation: Copies,
    body: { shouldRefund: boolean; amount?: number },
    fault?: 'pending' | 'decline',
    hasKey = body.amount !== undefined,
  ): Promise<void> {
    await this.agree();
    const { faults } = this.world.app.sandbox;
    const statuses: number[] = [];
    for (const { method, donationId, paymentId } of donation) {
      if (fault && method === 'card')
        faults.add({ provider: 'stripe', operation: 'refunds.create', kind: fault });
      if (fault && method === 'wallet')
        faults.add({ provider: 'paypal', operation: 'captures.refund', kind: fault });
      const id = await this.world.idNow(donationId, paymentId);
      statuses.push(
        hasKey ? await this.cancels.ask(id, body, newId()) : (await this.world.cancel(id, body)).status,
      );
    }
    if (fault) faults.clear();
    if (new Set(statuses).size > 1) throw new Error(`The copies got the answers ${statuses.join(' and ')}`);
  }

  /** Delivers all facts to both copies, before a capture or a command. */
  private async agree(): Promise<void> {
    if (this.copies === 1) return;
    await this.world.deliverAll(this.random);
    if (this.world.hasDropped) await this.world.reconcile();
  }
}
