import { MERCHANT_ID, type PayPalAccount } from './account.js';
import type { Dispute } from './objects.js';
import { link, money } from './parts.js';

/** What a list shows of a dispute. */
export function disputeSummary(account: PayPalAccount, dispute: Dispute) {
  return {
    dispute_id: dispute.id,
    create_time: dispute.created,
    update_time: dispute.updated,
    reason: dispute.reason,
    status: dispute.status,
    dispute_state: stateOf(dispute),
    dispute_amount: money(dispute.amount, dispute.currency),
    dispute_life_cycle_stage: dispute.stage,
    dispute_channel: dispute.channel,
    ...(dispute.sellerResponseDue !== undefined && { seller_response_due_date: dispute.sellerResponseDue }),
    links: [link(`${account.baseUrl}/v1/customer/disputes/${dispute.id}`, 'self')],
  };
}

export function disputeView(account: PayPalAccount, dispute: Dispute) {
  const { dispute_state: _, ...summary } = disputeSummary(account, dispute);
  const capture = account.capture(dispute.captureId);
  return {
    ...summary,
    disputed_transactions: [
      {
        seller_transaction_id: capture.id,
        create_time: capture.created,
        transaction_status: capture.status,
        gross_amount: money(capture.amount, capture.currency),
        ...(capture.invoiceId !== undefined && { invoice_number: capture.invoiceId }),
        ...(capture.customId !== undefined && { custom: capture.customId }),
        buyer: { name: 'Dora Donor' },
        seller: { email: 'charity@example.com', merchant_id: MERCHANT_ID, name: 'Sandbox Charity' },
      },
    ],
    ...(dispute.outcome !== undefined && {
      dispute_outcome: {
        outcome_code: dispute.outcome,
        ...(dispute.refunded > 0 && { amount_refunded: money(dispute.refunded, dispute.currency) }),
      },
    }),
    ...(dispute.adjudications.length > 0 && {
      adjudications: dispute.adjudications.map(({ type, at, stage }) => ({
        type,
        adjudication_time: at,
        dispute_life_cycle_stage: stage,
      })),
    }),
    ...(dispute.movements.length > 0 && {
      money_movements: dispute.movements.map(({ amount, at, type, reason }) => ({
        affected_party: 'SELLER',
        amount: money(amount, dispute.currency),
        initiated_time: at,
        type,
        reason,
      })),
    }),
    extensions: { merchant_contacted: false },
  };
}

function stateOf({ status, stage }: Dispute): string {
  if (status === 'RESOLVED') return 'RESOLVED';
  if (status === 'UNDER_REVIEW') return 'UNDER_PAYPAL_REVIEW';
  if (status === 'WAITING_FOR_BUYER_RESPONSE') return 'REQUIRED_OTHER_PARTY_ACTION';
  return stage === 'INQUIRY' ? 'OPEN_INQUIRIES' : 'REQUIRED_ACTION';
}
