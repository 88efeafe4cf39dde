import type { Statement } from '../../data/database.js';

/** The donation of a review item, with its event. */
export interface ReviewDonationRow {
  readonly id: string;
  readonly donor_name: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly event_slug: string;
  readonly event_name: string;
  readonly provider: string | null;
  readonly payment_id: string | null;
  readonly capture_id: string | null;
}

export const REVIEW_DONATIONS: Statement = {
  name: 'review_donations',
  text: `SELECT donation.id, donor_name, amount, donation.currency, event.slug AS event_slug, event.name AS event_name,
      provider, payment_id, capture_id
    FROM donation JOIN event ON event.id = donation.event_id WHERE donation.id = ANY($1::uuid[])`,
};
