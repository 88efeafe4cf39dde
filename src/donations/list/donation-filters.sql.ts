import { type Cancellation, type DisputeFilter, UNDONE } from './donation-filters.js';

/** SQL expressions on a row of `donation` that lists, files and sums all filter by: what one counts, the other lists. */

const LOST_DISPUTES = `dispute WHERE dispute.donation_id = donation.id AND dispute.status = 'lost'
  AND dispute.currency = donation.currency AND dispute.amount > 0`;

/**
 * What of the money that went back was lost in disputes, minor units. The rest of `refunded_amount` was refunded, so
 * the two always add up to it.
 */
export const LOST = `CASE WHEN donation.refunded_amount = 0 THEN 0 ELSE least(donation.refunded_amount,
  (SELECT coalesce(sum(dispute.amount), 0) FROM ${LOST_DISPUTES})) END`;

/** The first condition is for the index of the few donations that gave something back. */
export const REFUNDED = `(donation.refunded_amount > 0 AND donation.refunded_amount > ${LOST})`;
export const NOT_REFUNDED = `(donation.refunded_amount = 0 OR donation.refunded_amount <= ${LOST})`;

const withDispute = (condition: string) =>
  `EXISTS (SELECT 1 FROM dispute WHERE dispute.donation_id = donation.id ${condition})`;

export const DISPUTED: Readonly<Record<DisputeFilter, string>> = {
  open: withDispute("AND dispute.status = 'open'"),
  won: withDispute("AND dispute.status = 'won'"),
  lost: `(donation.refunded_amount > 0 AND EXISTS (SELECT 1 FROM ${LOST_DISPUTES}))`,
  any: withDispute(''),
};

/** Of a CANCELLED donation. */
export const CANCELLED_AS = `CASE
  WHEN EXISTS (SELECT 1 FROM donation_history step WHERE step.donation_id = donation.id
    AND step.to_status = 'CANCELLED' AND step.reason = '${UNDONE}') THEN 'undone'
  WHEN donation.paid_by IS NOT NULL THEN 'paid_online'
  WHEN donation.completed_at IS NULL THEN 'unpaid' ELSE 'corrected' END`;

export const cancelledAs = (how: Cancellation): string =>
  `donation.status = 'CANCELLED' AND ${CANCELLED_AS} = '${how}'`;

/**
 * What became of a pledge of a paddle raise. The pledge that was paid online is CANCELLED, and the money is that of the
 * donation which paid it; whatever becomes of that money becomes of the pledge. Of a pledge that was paid at the till
 * the row itself is the money.
 * @param payer the status of the donation that paid it
 */
export const pledgeFate = (payer: string): string => `CASE
  WHEN donation.paid_by IS NOT NULL THEN CASE ${payer} WHEN 'COMPLETED' THEN 'kept_online' ELSE 'returned' END
  WHEN donation.status = 'PENDING' THEN 'open'
  WHEN donation.status = 'COMPLETED' THEN 'kept_at_till'
  WHEN donation.status = 'REFUNDED' THEN 'returned' ELSE 'withdrawn' END`;

/** @param placeholder one or several of them, separated by commas */
export const pledgesThatAre = (placeholder: string): string =>
  `round_id IS NOT NULL AND ${pledgeFate(
    '(SELECT payer.status FROM donation payer WHERE payer.id = donation.paid_by)',
  )} = ANY(string_to_array(${placeholder}, ','))`;

/** @param placeholder the provider's id of the payout */
export const inPayout = (placeholder: string): string =>
  `(donation.provider, donation.payment_id) IN (
    SELECT item.provider, item.payment_id FROM payout_item item WHERE item.provider_payout_id = ${placeholder})`;

/** When a donation was given, as `givenAt` says it; NULL for one that never was. */
export const GIVEN_AT = `(CASE WHEN donation.completed_at = donation.created_at
  THEN coalesce(donation.recorded_at, donation.completed_at) ELSE donation.completed_at END)`;

/**
 * The beginning of the local hour of a time, as a moment: of the two hours from two to three in the night that ends
 * summer time each is its own.
 * @param zone the placeholder of the IANA name
 */
export const localHour = (time: string, zone: string): string =>
  `(${time} - (${time} AT TIME ZONE ${zone} - date_trunc('hour', ${time} AT TIME ZONE ${zone})))`;
