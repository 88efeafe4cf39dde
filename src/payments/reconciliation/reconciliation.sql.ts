import type { Statement } from '../../data/database.js';
import { ALL_COLUMNS } from '../../donations/store/donation-columns.js';
import { PRUNE_PROVIDER_REQUESTS } from '../intents/provider-requests.sql.js';
import { REFUND } from '../booking/refunds.sql.js';

/**
 * The charge of a saved card without a payment id is left out: the charges ask for it themselves, under their own key.
 * Parameters: before, after, all, provider (or null for providers outside the list), list of providers.
 * An older donation is checked less often, because most changes happen in the first minutes.
 */
export const UNSETTLED: Statement = {
  name: 'reconcile_unsettled',
  text: `SELECT ${ALL_COLUMNS} FROM donation
    WHERE provider IS NOT NULL AND status IN ('PENDING', 'FAILED') AND id < $1 AND id > $2
      AND CASE WHEN $4::text IS NULL THEN provider <> ALL ($5::text[]) ELSE provider = $4 END
      AND ($3 OR checked_at IS NULL
        OR checked_at < now() - least(greatest((now() - created_at) / 4, interval '2 minutes'), interval '6 hours'))
      AND (payment_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM card_charge WHERE card_charge.donation_id = donation.id))
    ORDER BY id LIMIT 200`,
};

/** Paid and refunded donations of a provider that must be checked now, most overdue first. */
export const SETTLED_DUE: Statement = {
  name: 'reconcile_settled',
  text: `SELECT ${ALL_COLUMNS} FROM donation
    WHERE provider = $1 AND status IN ('COMPLETED', 'REFUNDED')
      AND (next_check_at <= now() OR (next_check_at IS NULL AND paid_at <= now() - interval '1 hour'))
    ORDER BY coalesce(next_check_at, paid_at), id LIMIT 200`,
};

/** The refunds with the oldest try are first, so that a refund that always fails does not delay the others. */
export const OPEN_REFUNDS: Statement = {
  name: 'reconcile_refunds',
  text: `SELECT ${REFUND} FROM refund WHERE status IN ('requested', 'pending') AND created_at < $1 AND provider = $2
      AND donation_id IS NOT NULL
    ORDER BY updated_at, id LIMIT 500`,
};

export const REFUND_TRIED: Statement = {
  name: 'reconcile_refund_tried',
  text: `UPDATE refund SET updated_at = now() WHERE id = $1 AND status IN ('requested', 'pending')`,
};

export const REFUND_BY_ID: Statement = {
  name: 'reconcile_refund',
  text: `SELECT ${REFUND} FROM refund WHERE id = $1`,
};

export const PRUNE: readonly Statement[] = [
  PRUNE_PROVIDER_REQUESTS,
  {
    // Keep the refusals of an open donation, because the number of refusals is part of the idempotency key of the next capture.
    name: 'prune_capture_refusals',
    text: `DELETE FROM capture_refusal WHERE (provider, payment_id) IN (
      SELECT old.provider, old.payment_id FROM capture_refusal old WHERE old.updated_at < now() - interval '90 days'
        AND NOT EXISTS (SELECT 1 FROM donation WHERE donation.provider = old.provider
          AND donation.payment_id = old.payment_id AND donation.status IN ('PENDING', 'FAILED'))
      LIMIT 5000)`,
  },
  {
    name: 'prune_webhook_events',
    text: `DELETE FROM webhook_event WHERE (provider, webhook_event_id) IN (
      SELECT provider, webhook_event_id FROM webhook_event WHERE received_at < now() - interval '90 days'
        AND outcome NOT LIKE '%unmatched%' LIMIT 5000)`,
  },
  {
    name: 'prune_unhandled_events',
    text: `DELETE FROM unhandled_event WHERE found_at < now() - interval '90 days'`,
  },
  {
    name: 'prune_reconciliation_failures',
    text: `DELETE FROM reconciliation_failure WHERE failing_since < now() - interval '90 days'`,
  },
  {
    name: 'prune_foreign_refunds',
    text: `DELETE FROM refund WHERE id IN (
      SELECT id FROM refund WHERE donation_id IS NULL AND created_at < now() - interval '90 days' LIMIT 5000)`,
  },
  {
    name: 'prune_foreign_disputes',
    text: `DELETE FROM dispute WHERE id IN (
      SELECT id FROM dispute WHERE donation_id IS NULL AND created_at < now() - interval '180 days' LIMIT 5000)`,
  },
];
