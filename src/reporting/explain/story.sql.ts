import type { Statement } from '../../data/database.js';

/** Statements that read all facts about one donation. $1: donation id, unless stated otherwise. */

export const STORY_WEBHOOK_EVENTS: Statement = {
  name: 'story_webhook_events',
  text: `SELECT provider, webhook_event_id AS "eventId", kind, outcome, received_at AS "receivedAt"
    FROM webhook_event WHERE donation_id = $1 ORDER BY received_at, webhook_event_id`,
};

export const STORY_REFUNDS: Statement = {
  name: 'story_refunds',
  text: `SELECT id, provider, provider_refund_id AS "providerRefundId", amount, currency, status, reason,
      actor_kind AS actor, actor_id AS "actorId", created_at AS "createdAt", updated_at AS "updatedAt"
    FROM refund WHERE donation_id = $1 ORDER BY created_at, id`,
};

export const STORY_DISPUTES: Statement = {
  name: 'story_disputes',
  text: `SELECT id, provider, provider_dispute_id AS "providerDisputeId", amount, currency, status,
      provider_status AS "providerStatus", reason, is_inquiry AS "isInquiry", needs_answer AS "needsAnswer",
      due_by AS "dueBy", fee, fee_currency AS "feeCurrency", created_at AS "createdAt", updated_at AS "updatedAt"
    FROM dispute WHERE donation_id = $1 ORDER BY created_at, id`,
};

export const STORY_RECEIPTS: Statement = {
  name: 'story_receipts',
  text: `SELECT year, number, issued_at AS "issuedAt", replaces, replaced_at AS "replacedAt"
    FROM receipt WHERE donation_id = $1 ORDER BY issued_at, year, number`,
};

export const STORY_EMAILS: Statement = {
  name: 'story_emails',
  text: `SELECT id, kind, donation_id AS "donationId", state, attempts, last_error AS "lastError",
      created_at AS "createdAt", next_attempt_at AS "nextAttemptAt", sent_at AS "sentAt"
    FROM email WHERE donation_id = $1 ORDER BY created_at, id`,
};

export const STORY_REVIEW_ITEMS: Statement = {
  name: 'story_review_items',
  text: `SELECT id, kind, subject, donation_id AS "donationId", detail, due_by AS "dueBy", particulars,
      created_at AS "createdAt", resolved_at AS "resolvedAt", resolved_by AS "resolvedBy"
    FROM review_item WHERE donation_id = $1 ORDER BY created_at, id`,
};

/** The subject of an audit entry is a text. For this donation, it is the id of the donation or of one of its refunds. */
export const STORY_AUDIT: Statement = {
  name: 'story_audit',
  text: `SELECT id, actor_kind AS actor, actor_id AS "actorId", action, subject_id AS "subjectId", detail, address, client,
      created_at AS "createdAt"
    FROM audit_entry WHERE subject_id = $1::uuid::text ORDER BY id`,
};

/**
 * $1: provider; $2: payment. The provider's times have no fractions of a second. So with equal times, the payment is sorted
 * before its refunds.
 */
export const STORY_PAYOUTS: Statement = {
  name: 'story_payouts',
  text: `SELECT payout.provider_payout_id AS "payoutId", payout.status, payout.arrives_at AS "arrivesAt",
      item.kind, item.amount, item.fee, item.net, item.currency
    FROM payout_item item JOIN payout USING (provider, provider_payout_id)
    WHERE item.provider = $1 AND item.payment_id = $2
    ORDER BY item.occurred_at, item.kind <> 'payment', item.provider_item_id`,
};
