import { type Cancellation, type DisputeFilter, type MatchPart, UNDONE } from './donation-filters.js';

/** SQL expressions on a `donation` row. Lists, files and sums share these expressions, so that every sum matches its list. */

const LOST_DISPUTES = `dispute WHERE dispute.donation_id = donation.id AND dispute.status = 'lost'
  AND dispute.currency = donation.currency AND dispute.amount > 0`;

/** Part of `refunded_amount` that was lost in disputes, in minor units. The rest was refunded. */
export const LOST = `CASE WHEN donation.refunded_amount = 0 THEN 0 ELSE least(donation.refunded_amount,
  (SELECT coalesce(sum(dispute.amount), 0) FROM ${LOST_DISPUTES})) END`;

/** The first condition lets the planner use the index of the few refunded donations. */
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

/** Kind of cancellation of a CANCELLED donation. */
export const CANCELLED_AS = `CASE
  WHEN EXISTS (SELECT 1 FROM donation_history step WHERE step.donation_id = donation.id
    AND step.to_status = 'CANCELLED' AND step.reason = '${UNDONE}') THEN 'undone'
  WHEN donation.paid_by IS NOT NULL THEN 'paid_online'
  WHEN donation.completed_at IS NULL THEN 'unpaid' ELSE 'corrected' END`;

export const cancelledAs = (how: Cancellation): string =>
  `donation.status = 'CANCELLED' AND ${CANCELLED_AS} = '${how}'`;

/** The pledged amount of a pledge. A pledge that was paid with another amount has this other amount in `amount`. */
export const PLEDGED = 'coalesce(donation.pledged_amount, donation.amount)';

/**
 * State of a paddle raise pledge. If the donor pays a pledge online, the pledge becomes CANCELLED and a new donation contains
 * the money. The state of the pledge then depends on the status of this new donation. A pledge paid at the till contains the
 * money itself.
 * @param payer status of the donation that paid the pledge
 */
export const pledgeFate = (payer: string): string => `CASE
  WHEN donation.paid_by IS NOT NULL THEN CASE ${payer} WHEN 'COMPLETED' THEN 'kept_online' ELSE 'returned' END
  WHEN donation.status = 'PENDING' THEN 'open'
  WHEN donation.status = 'COMPLETED' THEN 'kept_at_till'
  WHEN donation.status = 'REFUNDED' THEN 'returned' ELSE 'withdrawn' END`;

/** @param placeholder one or more placeholders, separated by commas */
export const pledgesThatAre = (placeholder: string): string =>
  `round_id IS NOT NULL AND ${pledgeFate(
    '(SELECT payer.status FROM donation payer WHERE payer.id = donation.paid_by)',
  )} = ANY(string_to_array(${placeholder}, ','))`;

/** @param placeholder placeholder of the pool's id */
export const ofMatchPool: Readonly<Record<MatchPart, (placeholder: string) => string>> = {
  drawn: (placeholder) =>
    `id IN (SELECT draw.donation_id FROM match_draw draw WHERE draw.pool_id = ${placeholder}::uuid AND draw.amount > 0)`,
  kept: (placeholder) =>
    `id IN (SELECT draw.donation_id FROM match_draw draw WHERE draw.pool_id = ${placeholder}::uuid AND draw.kept > 0)`,
  settled: (placeholder) => `match_pool_id = ${placeholder}::uuid`,
};

/** A large record whose card waits for a second person. The comparison is never NULL, so that it can be negated. */
export const WALL_HELD = `status = 'COMPLETED' AND wall_state IS NOT NULL AND wall_state = 'held'`;

/** @param placeholder placeholder of the provider's payout id */
export const inPayout = (placeholder: string): string =>
  `(donation.provider, donation.payment_id) IN (
    SELECT item.provider, item.payment_id FROM payout_item item WHERE item.provider_payout_id = ${placeholder})`;

/** SQL of `givenAt`: the time when a donation was given; NULL if the donation was never completed. */
export const GIVEN_AT = `(CASE
  WHEN donation.type = 'bank_transfer' AND donation.paid_at IS NOT NULL AND donation.completed_at IS NOT NULL
    THEN donation.paid_at
  WHEN donation.completed_at = donation.created_at
  THEN coalesce(donation.recorded_at, donation.completed_at) ELSE donation.completed_at END)`;

/**
 * Start of the local hour as a timestamp. At the end of summer time one hour occurs twice; the two hours get different values.
 * @param zone placeholder of the IANA time zone name
 */
export const localHour = (time: string, zone: string): string =>
  `(${time} - (${time} AT TIME ZONE ${zone} - date_trunc('hour', ${time} AT TIME ZONE ${zone})))`;
