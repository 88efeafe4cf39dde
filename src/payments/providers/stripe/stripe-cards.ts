import Stripe from 'stripe';
import type { CardChargeRequest, CardSetup, OpenedCard, PaymentFact } from '../provider-port.js';
import { isMissing, ProviderUnavailableError } from '../provider-errors.js';
import { RIGHTS, type StripeAccess } from './stripe-access.js';
import { intentFacts, toStripeAmount } from './stripe-facts.js';
import { keyed } from './stripe-keys.js';

/**
 * Cards that guests save for later payments. Each card has its own customer at Stripe without personal data. Stripe deletes the
 * card with the customer, and a repeated delete is harmless.
 */
export class StripeCards {
  constructor(
    private readonly stripe: Stripe,
    private readonly access: StripeAccess,
    private readonly readPayment: (paymentId: string) => Promise<PaymentFact[]>,
  ) {}

  async open(cardId: string): Promise<OpenedCard> {
    const metadata = { savedCardId: cardId };
    const customer = await this.access.asked(
      RIGHTS.saveCards,
      this.stripe.customers.create({ metadata }, { idempotencyKey: `card:${cardId}` }),
    );
    const setup = await this.access.asked(
      RIGHTS.saveCards,
      this.stripe.setupIntents.create(
        { customer: customer.id, usage: 'off_session', allowed_payment_method_types: ['card'], metadata },
        { idempotencyKey: `card-setup:${cardId}` },
      ),
    );
    if (!setup.client_secret) throw new ProviderUnavailableError('stripe');
    return { customerId: customer.id, setupId: setup.id, clientSecret: setup.client_secret };
  }

  async read(setupId: string): Promise<CardSetup> {
    const setup = await this.access.asked(
      RIGHTS.saveCards,
      this.stripe.setupIntents.retrieve(setupId, { expand: ['payment_method'] }),
    );
    if (setup.status === 'canceled') return { state: 'ended' };
    const method = setup.payment_method;
    if (setup.status !== 'succeeded' || !method || typeof method === 'string') return { state: 'open' };
    // Other methods are not offered. Without details of a card, the consent could not name it.
    if (!method.card) return { state: 'ended' };
    const { brand, last4, exp_month: expiryMonth, exp_year: expiryYear } = method.card;
    return { state: 'ready', methodId: method.id, brand, last4, expiryMonth, expiryYear };
  }

  async remove(customerId: string): Promise<void> {
    try {
      await this.access.asked(RIGHTS.saveCards, this.stripe.customers.del(customerId));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  bodyOf(request: CardChargeRequest): string {
    const params: Stripe.PaymentIntentCreateParams = {
      amount: toStripeAmount(request.amount, request.currency),
      currency: request.currency,
      customer: request.customerId,
      payment_method: request.methodId,
      // Without methods that redirect, Stripe needs no return address.
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      off_session: true,
      confirm: true,
      description: 'Donation',
      metadata: { donationId: request.donationId, eventId: request.eventId },
    };
    return JSON.stringify(params);
  }

  async charge(request: CardChargeRequest): Promise<PaymentFact[]> {
    const params = JSON.parse(request.body ?? this.bodyOf(request)) as Stripe.PaymentIntentCreateParams;
    const created = keyed(
      `ready:${request.pledgeId}`,
      (idempotencyKey) => this.stripe.paymentIntents.create(params, { idempotencyKey }),
      () => this.intentOf(request.customerId, request.donationId),
    );
    const intent = await this.access.asked(RIGHTS.takePayments, created.catch(declinedIntent));
    return intentFacts(intent, new Date());
  }

  async findCharge(customerId: string, donationId: string): Promise<PaymentFact[] | undefined> {
    const intent = await this.access.asked(RIGHTS.readPayments, this.intentOf(customerId, donationId));
    return intent && (await this.readPayment(intent.id));
  }

  private async intentOf(customer: string, donationId: string): Promise<Stripe.PaymentIntent | undefined> {
    for await (const intent of this.stripe.paymentIntents.list({ customer, limit: 100 }))
      if (intent.metadata.donationId === donationId) return intent;
    return undefined;
  }
}

/**
 * Returns the PaymentIntent in the error of a declined card. With `confirm`, Stripe answers a decline, and a bank that asks for
 * the owner of the card (`authentication_required`), with status 402.
 */
function declinedIntent(error: unknown): Stripe.PaymentIntent {
  if (error instanceof Stripe.errors.StripeCardError && error.payment_intent) return error.payment_intent;
  throw error;
}
