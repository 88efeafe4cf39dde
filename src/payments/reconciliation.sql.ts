import type { Statement } from '../data/database.js';
import { ALL_COLUMNS } from '../donations/donation-columns.js';
import { PRUNE_PROVIDER_REQUESTS } from './provider-requests.js';
import { REFUND } from './refunds.sql.js';

// Asked about less and less often: the first minutes matter, the twentieth hour does not.
export const UNSETTLED: Statement = {
  name: 'reconcile_unsettled',
  text: `SELECT ${ALL_COLUMNS} FROM donation
    WHERE provider IS NOT NULL AND status IN ('PENDING', 'FAILED') AND id < $1 AND id > $2
      AND ($3 OR checked_at IS NULL
        OR checked_at < now() - least(greatest((now() - created_at) / 4, interval '2 minutes'), interval '6 hours'))
    ORDER BY id LIMIT 200`,
};

export const OPEN_REFUNDS: Statement = {
  name: 'reconcile_refunds',
  text: `SELECT ${REFUND} FROM refund WHERE status IN ('requested', 'pending') AND created_at < $1 AND donation_id IS NOT NULL
    ORDER BY created_at LIMIT 500`,
};

export const RAISED: Statement = {
  name: 'reconcile_raised',
  text: `SELECT kind, subject FROM review_item
    WHERE id >= $1 AND resolved_at IS NULL AND kind <> 'reconciliation' ORDER BY id`,
};

export const PRUNE: readonly Statement[] = [
  PRUNE_PROVIDER_REQUESTS,
  {
    name: 'prune_webhook_events',
    text: `DELETE FROM webhook_event WHERE (provider, webhook_event_id) IN (
      SELECT provider, webhook_event_id FROM webhook_event WHERE received_at < now() - interval '90 days' LIMIT 5000)`,
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
