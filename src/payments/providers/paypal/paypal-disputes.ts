import { Logger } from '@nestjs/common';
import * as z from 'zod';
import type { DisputeFact, PaymentFact, ProviderFee, WalkedFacts } from '../provider-port.js';
import { MissingRightError, PaymentUnreadableError, ProviderRefusedError } from '../provider-errors.js';
import { fromPayPalMoney, isPayPalMoney } from './paypal-amounts.js';
import type { PayPalClient } from './paypal-client.js';
import { namesOurs, orderFacts, orderRef, otherPayee } from './paypal-facts.js';
import { ifUnreadable, isPayPalId, type PayPalReader } from './paypal-reader.js';

const PATH = '/v1/customer/disputes';

/** PayPal lists disputes of the last 180 days, at most 50 on a page. */
const LISTED_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_PAGES = 1_000;

/** State of a dispute in our books, by PayPal's status. */
const STANDING: Readonly<Record<string, DisputeFact['status']>> = {
  OPEN: 'open',
  WAITING_FOR_BUYER_RESPONSE: 'open',
  WAITING_FOR_SELLER_RESPONSE: 'open',
  UNDER_REVIEW: 'open',
};
/** State of a RESOLVED dispute in our books, by PayPal's outcome. */
const OUTCOME: Readonly<Record<string, DisputeFact['status']>> = {
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
  RESOLVED_SELLER_FAVOUR: 'won',
  // PayPal paid with its own money.
  RESOLVED_WITH_PAYOUT: 'won',
  CANCELED_BY_BUYER: 'won',
  DENIED: 'won',
  // Closed without a decision, because another dispute of the same payment replaces it.
  NONE: 'won',
};
/** Statuses in which PayPal waits for the charity. OPEN is one of them, because its API does not show who must answer. */
const ASKS: ReadonlySet<string> = new Set(['WAITING_FOR_SELLER_RESPONSE', 'OPEN']);

const money = z.object({ currency_code: z.string(), value: z.string() }).refine(isPayPalMoney);
const link = z.object({ href: z.string(), rel: z.string() });

const disputeSchema = z.object({
  dispute_id: z.string(),
  status: z.string(),
  reason: z.string().nullish(),
  update_time: z.string().nullish(),
  dispute_amount: money,
  dispute_life_cycle_stage: z.string().nullish(),
  seller_response_due_date: z.string().nullish(),
  dispute_outcome: z.object({ outcome_code: z.string().nullish() }).nullish(),
  disputed_transactions: z
    .array(z.object({ seller_transaction_id: z.string().nullish(), custom: z.string().nullish() }))
    .nullish(),
  money_movements: z
    .array(
      z.object({
        affected_party: z.string().nullish(),
        amount: money.nullish(),
        type: z.string().nullish(),
        reason: z.string().nullish(),
      }),
    )
    .nullish(),
});

const listSchema = z.object({
  items: z.array(z.object({ dispute_id: z.string() })).nullish(),
  links: z.array(link).nullish(),
});

type PayPalDispute = z.infer<typeof disputeSchema>;

/**
 * PayPal's disputes, from a question of the donor to a chargeback of the donor's bank. The class uses only PayPal's
 * answers to our requests, never the content of a webhook event.
 */
export class PayPalDisputes {
  private readonly logger = new Logger('PayPal');

  constructor(
    private readonly client: PayPalClient,
    private readonly reader: PayPalReader,
    private readonly merchantId: string | undefined,
  ) {}

  /**
   * Returns the facts of the disputed payment and of the dispute. Returns no facts if the payment is not our
   * donation, or if PayPal does not show it. PayPal does not show payments without an order, such as from a button or
   * a subscription.
   * @throws PaymentUnreadableError if PayPal does not show a payment that refers to our donation or event
   */
  async factsOf(disputeId: string): Promise<PaymentFact[]> {
    if (!isPayPalId(disputeId)) return [];
    let dispute: PayPalDispute | undefined;
    try {
      dispute = await this.client.get(`${PATH}/${disputeId}`, disputeSchema);
    } catch (error) {
      // If our key lacks the permission, the webhook event is read later, because PayPal sends it again and lists it for a
      // month.
      if (!(error instanceof ProviderRefusedError) || error instanceof MissingRightError) throw error;
      this.logger.warn({ msg: 'PayPal returned no details of a dispute', disputeId, reason: error.reason });
    }
    const disputed = dispute?.disputed_transactions?.[0];
    const captureId = disputed?.seller_transaction_id ?? undefined;
    const found =
      captureId === undefined ? undefined : await this.reader.follow({ captureId }).catch(ifUnreadable);
    if (found instanceof PaymentUnreadableError) {
      if (namesOurs(disputed?.custom)) throw found;
      return [];
    }
    // An order that pays another account is not ours.
    if (!dispute || !found || otherPayee(found.order, this.merchantId) !== undefined) return [];
    const ref = orderRef(found.order);
    if (ref.donationId === undefined && ref.eventRef === undefined) return [];
    return [...orderFacts(found.order), { kind: 'dispute', ...ref, ...disputeOf(dispute) }];
  }

  /**
   * Returns all disputes that changed since a time, page by page.
   * @returns the reason if the payment of one of our disputes is not shown
   */
  async *walk(since: Date): AsyncGenerator<WalkedFacts, PaymentUnreadableError | undefined> {
    let hidden: PaymentUnreadableError | undefined;
    const from = new Date(Math.max(since.getTime(), Date.now() - LISTED_DAYS * DAY_MS));
    let query = new URLSearchParams({ update_time_after: from.toISOString(), page_size: '50' });
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const list = await this.client.get(`${PATH}?${query.toString()}`, listSchema);
      for (const { dispute_id: id } of list?.items ?? []) {
        const facts = await this.factsOf(id).catch(ifUnreadable);
        if (facts instanceof PaymentUnreadableError) hidden ??= facts;
        else yield { facts };
      }
      const next = list?.links?.find(({ rel }) => rel === 'next')?.href;
      // Use only the query of the link, so that our token is never sent to another host.
      const following = new URLSearchParams(next?.split('?')[1] ?? '');
      if (following.size === 0 || following.toString() === query.toString()) break;
      query = following;
    }
    return hidden;
  }
}

export function disputeOf(dispute: PayPalDispute): Omit<DisputeFact, 'kind' | 'paymentId'> {
  const { status, reason, dispute_outcome: outcome, dispute_life_cycle_stage: stage } = dispute;
  const due = timeOf(dispute.seller_response_due_date);
  const asOf = timeOf(dispute.update_time);
  const fee = feeOf(dispute);
  const isResolved = status === 'RESOLVED';
  const word = isResolved ? (outcome?.outcome_code ?? status) : status;
  const standing = (isResolved ? OUTCOME : STANDING)[word];
  return {
    disputeId: dispute.dispute_id,
    ...fromPayPalMoney(dispute.dispute_amount),
    status: standing ?? 'open',
    providerStatus: word,
    isInquiry: stage === 'INQUIRY',
    ...(standing === undefined && { isUnknown: true }),
    needsAnswer: standing === undefined || ASKS.has(status),
    // PayPal reverses the capture of a lost dispute, and shows the reversal as a refund.
    moneyIsRefund: true,
    ...(reason && { reason }),
    ...(due && { dueBy: due }),
    ...(asOf && { asOf }),
    ...(fee && { fee }),
  };
}

/** Returns the fee of a dispute. The other movements are the disputed money, not fees. */
function feeOf({ money_movements: movements }: PayPalDispute): ProviderFee | undefined {
  const fees = (movements ?? []).flatMap(({ affected_party: party, amount, reason, type }) =>
    party === 'SELLER' && type === 'DEBIT' && reason === 'CHARGEBACK_FEE' && amount
      ? [fromPayPalMoney(amount)]
      : [],
  );
  const [first] = fees;
  if (!first) return undefined;
  const amount = fees
    .filter(({ currency }) => currency === first.currency)
    .reduce((sum, fee) => sum + fee.amount, 0n);
  return { amount, currency: first.currency };
}

function timeOf(text: string | null | undefined): Date | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}
