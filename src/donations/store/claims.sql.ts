import type { Statement } from '../../data/database.js';

/**
 * SQL condition: the dispute blocks a refund. The bank or the provider has taken the disputed money, so both providers
 * refuse its refund (docs/payments.md). An inquiry has moved no money, and a full refund ends it.
 */
const BLOCKS_REFUND = `dispute.status = 'open' AND NOT dispute.is_inquiry`;

export const CLAIMS: Statement = {
  name: 'donation_claims',
  text: `SELECT id, coalesce(pending, 0)::bigint AS pending, status, amount, currency, is_inquiry, needs_answer, due_by, blocks_refund
    FROM (
      SELECT refund.donation_id AS id, sum(refund.amount) AS pending
      FROM refund JOIN donation ON donation.id = refund.donation_id AND donation.currency = refund.currency
      WHERE refund.donation_id = ANY($1::uuid[]) AND refund.status IN ('requested', 'pending') GROUP BY 1
    ) refunds FULL JOIN (
      SELECT DISTINCT ON (dispute.donation_id) dispute.donation_id AS id, status, amount, currency, is_inquiry, needs_answer, due_by,
        ${BLOCKS_REFUND} AS blocks_refund
      FROM dispute WHERE dispute.donation_id = ANY($1::uuid[])
      ORDER BY dispute.donation_id, (${BLOCKS_REFUND}) DESC, status = 'open' DESC, dispute.created_at DESC, dispute.id DESC
    ) disputes USING (id)`,
};

export interface ClaimsRow {
  readonly id: string;
  readonly pending: bigint;
  readonly status: 'open' | 'won' | 'lost' | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly is_inquiry: boolean;
  readonly needs_answer: boolean;
  readonly due_by: Date | null;
  readonly blocks_refund: boolean;
}

export const BLOCKED_REFUND: Statement = {
  name: 'disputes_block_refund',
  text: `SELECT EXISTS (SELECT 1 FROM dispute WHERE provider = $1 AND payment_id = $2 AND ${BLOCKS_REFUND}) AS blocked`,
};
