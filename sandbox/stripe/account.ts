import { Clock, DAY_MS } from '../common/clock.js';
import { stripeId } from '../common/ids.js';
import { noSuch, StripeError } from './errors.js';
import { FEES, type Fees } from './money.js';
import {
  API_VERSION,
  type BalanceTransaction,
  type Cause,
  type Charge,
  type Customer,
  type Dispute,
  type FraudWarning,
  OUTSIDE,
  type PaymentIntent,
  type PaymentMethod,
  type Payout,
  type Refund,
  type SetupIntent,
  type StripeEvent,
} from './objects.js';

/** All objects of one Stripe account, in the form of Stripe's API. */
export class StripeAccount {
  readonly intents = new Map<string, PaymentIntent>();
  readonly charges = new Map<string, Charge>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  readonly warnings = new Map<string, FraudWarning>();
  readonly events = new Map<string, StripeEvent>();
  readonly balance = new Map<string, BalanceTransaction>();
  readonly payouts = new Map<string, Payout>();
  readonly customers = new Map<string, Customer>();
  readonly setups = new Map<string, SetupIntent>();
  readonly methods = new Map<string, PaymentMethod>();
  /** The number of each saved card. It decides what happens when the card is charged. */
  readonly numbers = new Map<string, string>();
  /** The payout of each balance transaction. */
  readonly paidOut = new Map<string, string>();
  /** The sandbox's own address, for donor pages. Empty until the server listens. */
  baseUrl = '';
  fees: Fees = { ...FEES };
  /** Stripe shows events for 30 days. */
  eventRetentionDays = 30;
  /** Objects of the accounts that the key had before. API calls do not find these objects. */
  private readonly former: ReturnType<StripeAccount['snapshot']>[] = [];

  /** @param publish sends a new event to the webhooks */
  constructor(
    private readonly publish: (event: StripeEvent) => void,
    readonly clock: Clock = new Clock(),
  ) {}

  seconds(): number {
    return this.clock.seconds();
  }

  /** Moves the API keys to another account, which has no objects. */
  change(): void {
    this.former.push(this.snapshot());
    for (const kept of this.kept()) kept.clear();
  }

  /** Makes the objects of all earlier accounts visible again. */
  changeBack(): void {
    const now = this.snapshot();
    for (const kept of this.kept()) kept.clear();
    for (const saved of [...this.former.splice(0), now]) this.restore(saved);
  }

  /** Returns the events that can still be read, in order of time. */
  keptEvents(): StripeEvent[] {
    const since = Math.floor((this.clock.now() - this.eventRetentionDays * DAY_MS) / 1000);
    return [...this.events.values()].filter((event) => event.created >= since);
  }

  private kept() {
    const { intents, charges, refunds, disputes, warnings, events, balance, payouts, paidOut } = this;
    const { customers, setups, methods, numbers } = this;
    const ofCards = [customers, setups, methods, numbers];
    return [intents, charges, refunds, disputes, warnings, events, balance, payouts, paidOut, ...ofCards];
  }

  snapshot() {
    return {
      intents: [...this.intents.values()],
      charges: [...this.charges.values()],
      refunds: [...this.refunds.values()],
      disputes: [...this.disputes.values()],
      warnings: [...this.warnings.values()],
      events: [...this.events.values()],
      balance: [...this.balance.values()],
      payouts: [...this.payouts.values()],
      paidOut: [...this.paidOut],
      customers: [...this.customers.values()],
      setups: [...this.setups.values()],
      methods: [...this.methods.values()],
      numbers: [...this.numbers],
    };
  }

  restore(saved: ReturnType<StripeAccount['snapshot']>): void {
    for (const intent of saved.intents) this.intents.set(intent.id, intent);
    for (const charge of saved.charges) this.charges.set(charge.id, charge);
    for (const refund of saved.refunds) this.refunds.set(refund.id, refund);
    for (const dispute of saved.disputes) this.disputes.set(dispute.id, dispute);
    for (const event of saved.events) this.events.set(event.id, event);
    // Files of an earlier version do not contain these lists.
    for (const warning of (saved as Partial<typeof saved>).warnings ?? [])
      this.warnings.set(warning.id, warning);
    for (const movement of (saved as Partial<typeof saved>).balance ?? [])
      this.balance.set(movement.id, movement);
    for (const payout of (saved as Partial<typeof saved>).payouts ?? []) this.payouts.set(payout.id, payout);
    for (const [movement, payout] of (saved as Partial<typeof saved>).paidOut ?? [])
      this.paidOut.set(movement, payout);
    for (const customer of (saved as Partial<typeof saved>).customers ?? [])
      this.customers.set(customer.id, customer);
    for (const setup of (saved as Partial<typeof saved>).setups ?? []) this.setups.set(setup.id, setup);
    for (const method of (saved as Partial<typeof saved>).methods ?? []) this.methods.set(method.id, method);
    for (const [method, number] of (saved as Partial<typeof saved>).numbers ?? [])
      this.numbers.set(method, number);
  }

  /** Finds an intent by its id or by its client secret, because a donor's browser has only the secret. */
  intent(idOrSecret: string, param = 'intent'): PaymentIntent {
    const id = idOrSecret.split('_secret_')[0] ?? idOrSecret;
    const intent = this.intents.get(id);
    if (!intent) throw noSuch('payment_intent', id, param);
    return intent;
  }

  customer(id: string, param = 'customer'): Customer {
    const customer = this.customers.get(id);
    if (!customer) throw noSuch('customer', id, param);
    return customer;
  }

  /** Finds a SetupIntent by its id or by its client secret. */
  setup(idOrSecret: string): SetupIntent {
    const id = idOrSecret.split('_secret_')[0] ?? idOrSecret;
    const setup = this.setups.get(id);
    if (!setup) throw noSuch('setup_intent', id, 'intent');
    return setup;
  }

  method(id: string, param = 'payment_method'): PaymentMethod {
    const method = this.methods.get(id);
    if (!method) throw noSuch('PaymentMethod', id, param);
    return method;
  }

  charge(id: string, param = 'charge'): Charge {
    const charge = this.charges.get(id);
    if (!charge) throw noSuch('charge', id, param);
    return charge;
  }

  refund(id: string): Refund {
    const refund = this.refunds.get(id);
    if (!refund) throw noSuch('refund', id);
    return refund;
  }

  dispute(id: string): Dispute {
    const dispute = this.disputes.get(id);
    if (!dispute) throw noSuch('dispute', id, 'dispute');
    return dispute;
  }

  warning(id: string): FraudWarning {
    const warning = this.warnings.get(id);
    if (!warning) throw noSuch('early_fraud_warning', id);
    return warning;
  }

  movement(id: string): BalanceTransaction {
    const movement = this.balance.get(id);
    if (!movement) throw noSuch('balance_transaction', id);
    return movement;
  }

  payout(id: string): Payout {
    const payout = this.payouts.get(id);
    if (!payout) throw noSuch('payout', id);
    return payout;
  }

  /** Returns the successful charge of an intent. */
  paidCharge(intent: PaymentIntent): Charge {
    const charge = intent.latest_charge === null ? undefined : this.charges.get(intent.latest_charge);
    if (charge?.status !== 'succeeded') {
      throw new StripeError(400, {
        type: 'invalid_request_error',
        code: 'charge_missing',
        message: `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      });
    }
    return charge;
  }

  /**
   * Sets any status, to test a status that a later API version may add. Sends an event, if the object has an event
   * for this change.
   */
  nameStatus(id: string, status: string): void {
    if (id.startsWith('pi_')) {
      Object.assign(this.intent(id), { status });
      return;
    }
    const isRefund = id.startsWith('re_');
    const object = isRefund ? this.refund(id) : this.dispute(id);
    const previous = { status: object.status };
    Object.assign(object, { status });
    this.emit(isRefund ? 'refund.updated' : 'charge.dispute.updated', object, OUTSIDE, previous);
  }

  emit(
    type: string,
    object: PaymentIntent | Charge | Refund | Dispute | FraudWarning | Customer | SetupIntent | PaymentMethod,
    cause: Cause = OUTSIDE,
    previous?: Record<string, unknown>,
  ): void {
    const event: StripeEvent = {
      id: stripeId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: this.seconds(),
      type,
      livemode: false,
      pending_webhooks: 0,
      request: { ...cause },
      data: { object: structuredClone(object), ...(previous && { previous_attributes: previous }) },
    };
    this.events.set(event.id, event);
    this.publish(event);
  }
}
