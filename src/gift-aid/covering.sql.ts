import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import { GIVEN_AT } from '../donations/list/donation-filters.sql.js';

/** Time of a donation for Gift Aid: when it was given; for an unpaid donation, when it was recorded. */
const GIVEN = `coalesce(${GIVEN_AT}, donation.recorded_at, donation.created_at)`;

/**
 * Table expression for use after `donation`: the declaration that covers the donation, at most one row. Its own declaration comes
 * first, then the newest declaration of the same donor for past and future donations. Such a declaration counts from the first
 * paid donation with it. Donations after the cancellation or the erasure are not covered.
 */
export const COVERING = `LATERAL (
    SELECT covers.id AS declaration_id, covers.declared_at AS declaration_at FROM (
      SELECT own.id, own.declared_at, 0 AS place FROM gift_aid_declaration own
        WHERE own.donation_id = donation.id AND (own.cancelled_at IS NULL OR own.cancelled_at > ${GIVEN})
      UNION ALL
      SELECT wide.id, wide.declared_at, 1 FROM gift_aid_declaration wide
        JOIN donation made ON made.id = wide.donation_id AND made.completed_at IS NOT NULL
          AND ${notRehearsal('made.event_id')}
        WHERE wide.donor_key = donation.donor_key AND wide.scope = 'past_and_future'
          AND ${GIVEN} >= wide.declared_at - interval '4 years'
          AND ${GIVEN} < coalesce(least(wide.cancelled_at, wide.sealed_at), 'infinity')
    ) covers ORDER BY covers.place, covers.declared_at DESC LIMIT 1) AS covering`;
