import type { Statement } from '../../data/database.js';

const PLEDGED_AT = 'coalesce(pledge.recorded_at, pledge.created_at)';

/** The reason why a pledge cannot be charged to the saved card of its guest. */
export const OBSTACLES = [
  'paddle',
  'currency',
  'later_pledge',
  'card_over',
  'card_expired',
  'no_address',
  'failed',
  'stopped',
  'limit',
  'amount',
] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** Conditions that must hold when the charge is announced and again when the card is charged. */
const OBSTACLE = `CASE
      WHEN pledge.paddle IS DISTINCT FROM card.paddle OR guest.paddle IS DISTINCT FROM card.paddle
        OR guest.contested_paddle IS NOT NULL THEN 'paddle'
      WHEN pledge.currency <> card.currency THEN 'currency'
      WHEN ${PLEDGED_AT} >= card.pledged_until THEN 'later_pledge'
      WHEN card.valid_until <= now() THEN 'card_over'
      WHEN card.expires_on < (now() AT TIME ZONE 'UTC')::date THEN 'card_expired' END`;

/** Sum of the charges of a guest that were paid or have no answer yet, at all cards. */
const CHARGED = `coalesce((SELECT sum(other.amount) FROM card_charge other JOIN saved_card used ON used.id = other.card_id
      WHERE used.guest_id = card.guest_id AND other.state IN ('charging', 'paid')), 0)::bigint`;

/** An open pledge of a guest with a saved card. */
export interface ReadyRow {
  readonly id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly donor_name: string | null;
  readonly paddle: string | null;
  readonly card_id: string;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly limit_amount: bigint;
  readonly charged: bigint;
  readonly obstacle: Obstacle | null;
}

/** $1: event. Open pledges of guests with a saved card that no batch contains, oldest first: the limit covers the first ones. */
export const READY_PLEDGES: Statement = {
  name: 'card_ready_pledges',
  text: `SELECT pledge.id, pledge.amount, pledge.currency, pledge.donor_name, pledge.paddle, card.id AS card_id, card.brand, card.last4,
      card.limit_amount, ${CHARGED} AS charged,
      CASE WHEN charge.state = 'failed' THEN 'failed' WHEN charge.state = 'stopped' AND charge.code = 'guest' THEN 'stopped'
        WHEN coalesce(pledge.donor_email, guest.email) IS NULL THEN 'no_address'
        WHEN card.valid_until <= now() + interval '25 hours' THEN 'card_over' ELSE ${OBSTACLE} END AS obstacle
    FROM donation pledge JOIN saved_card card ON card.guest_id = pledge.guest_id AND card.event_id = pledge.event_id AND card.state = 'ready'
      JOIN guest ON guest.id = pledge.guest_id LEFT JOIN card_charge charge ON charge.pledge_id = pledge.id
    WHERE pledge.event_id = $1 AND pledge.type = 'pledge' AND pledge.status = 'PENDING'
      AND coalesce(charge.state, '') NOT IN ('announced', 'charging', 'paid') ORDER BY pledge.id`,
};

export interface BatchRow {
  readonly id: string;
  readonly event_id: string;
  readonly state: 'waiting' | 'announced' | 'done' | 'stopped';
  readonly pledges: number;
  readonly total: bigint;
  readonly currency: string;
  readonly started_by: string;
  readonly confirmed_by: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

const BATCH = 'id, event_id, state, pledges, total, currency, started_by, confirmed_by, created_at, ended_at';

/** Starts a batch; no row if the event has an open one. $1: id; $2: event; $3: state; $4: pledges; $5: total; $6: currency; $7: admin */
export const START_BATCH: Statement = {
  name: 'card_batch_start',
  text: `INSERT INTO card_batch (id, event_id, state, pledges, total, currency, started_by) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (event_id) WHERE state IN ('waiting', 'announced') DO NOTHING RETURNING ${BATCH}`,
};

/** $1: batch; $2: pledges; $3: cards; $4: amounts; $5: currency. A pledge that a provider was asked to charge is left out. */
export const ADD_CHARGES: Statement = {
  name: 'card_charges_add',
  text: `INSERT INTO card_charge (pledge_id, batch_id, card_id, amount, currency, state)
    SELECT pledge_id, $1::uuid, card_id, amount, $5::text, 'announced'
    FROM unnest($2::uuid[], $3::uuid[], $4::bigint[]) AS charge (pledge_id, card_id, amount)
    ON CONFLICT (pledge_id) DO UPDATE SET batch_id = excluded.batch_id, card_id = excluded.card_id, amount = excluded.amount,
      currency = excluded.currency, state = 'announced', code = NULL, email_id = NULL, next_try_at = now(), tries = 0, settled_at = NULL
      WHERE card_charge.donation_id IS NULL AND card_charge.state IN ('skipped', 'stopped')
    RETURNING pledge_id`,
};

/** $1: batch. The cards of a batch, each with the pledge that is the subject of its notice. */
export const CARDS_OF_BATCH: Statement = {
  name: 'card_batch_cards',
  text: `SELECT card_id, min(pledge_id::text)::uuid AS pledge_id FROM card_charge WHERE batch_id = $1 AND state = 'announced' GROUP BY card_id`,
};

/** $1: batch; $2: cards; $3: e-mails */
export const SET_NOTICES: Statement = {
  name: 'card_charges_set_notices',
  text: `UPDATE card_charge SET email_id = notice.email_id FROM unnest($2::uuid[], $3::uuid[]) AS notice (card_id, email_id)
    WHERE card_charge.batch_id = $1 AND card_charge.card_id = notice.card_id AND card_charge.state = 'announced'`,
};

/** $1: batch; $2: admin. The second admin must be another one. */
export const CONFIRM_BATCH: Statement = {
  name: 'card_batch_confirm',
  text: `UPDATE card_batch SET state = 'announced', confirmed_by = $2, confirmed_at = now()
    WHERE id = $1 AND state = 'waiting' AND started_by <> $2 RETURNING ${BATCH}`,
};

/** $1: batch */
export const STOP_BATCH: Statement = {
  name: 'card_batch_stop',
  text: `UPDATE card_batch SET state = 'stopped', ended_at = now() WHERE id = $1 AND state IN ('waiting', 'announced') RETURNING ${BATCH}`,
};

/** $1: batch */
export const STOP_CHARGES_OF_BATCH: Statement = {
  name: 'card_batch_stop_charges',
  text: `UPDATE card_charge SET state = 'stopped', code = 'admin', settled_at = now() WHERE batch_id = $1 AND state = 'announced'`,
};

/** $1: batch */
export const BATCH_BY_ID: Statement = {
  name: 'card_batch',
  text: `SELECT ${BATCH} FROM card_batch WHERE id = $1`,
};

/** $1: event. The newest batches of an event. */
export const BATCHES_OF_EVENT: Statement = {
  name: 'card_batches',
  text: `SELECT ${BATCH} FROM card_batch WHERE event_id = $1 ORDER BY created_at DESC, id DESC LIMIT 20`,
};

export interface CountedState {
  readonly batch_id: string;
  readonly state: string;
  readonly code: string | null;
  readonly count: number;
  readonly sum: bigint;
  readonly noticed: number;
  readonly next_charge: Date | null;
}

/** $1: batches. The charges of batches by state and reason. */
export const STATES_OF_BATCHES: Statement = {
  name: 'card_batch_states',
  text: `SELECT charge.batch_id, charge.state, charge.code, count(*)::int AS count, sum(charge.amount)::bigint AS sum,
      (count(*) FILTER (WHERE email.state = 'sent'))::int AS noticed, min(email.sent_at) + interval '24 hours' AS next_charge
    FROM card_charge charge LEFT JOIN email ON email.id = charge.email_id
    WHERE charge.batch_id = ANY($1::uuid[]) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
};

/** A notice must be at least this old when the card is charged. */
const NOTICE = `interval '24 hours'`;
/** An older notice does not say any more when the card is charged. */
const NOTICE_OLD = `interval '48 hours'`;

/** A charge to work on. */
export interface DueCharge {
  readonly pledge_id: string;
  readonly batch_id: string;
  readonly state: 'announced' | 'charging';
}

/**
 * The next charge: first those that a provider was asked for and that have an answer or are due to be asked again, then those whose
 * notice is a day old.
 */
export const NEXT_CHARGE: Statement = {
  name: 'card_charge_next',
  text: `SELECT charge.pledge_id, charge.batch_id, charge.state FROM card_charge charge JOIN card_batch batch ON batch.id = charge.batch_id
      LEFT JOIN email ON email.id = charge.email_id LEFT JOIN donation payment ON payment.id = charge.donation_id
    WHERE (charge.state = 'charging' AND (charge.next_try_at <= now() OR payment.status <> 'PENDING'))
      OR (charge.state = 'announced' AND charge.next_try_at <= now() AND batch.state = 'announced' AND email.state = 'sent'
        AND email.sent_at <= now() - ${NOTICE})
    ORDER BY charge.state = 'announced', charge.next_try_at, charge.pledge_id LIMIT 1`,
};

/** $1: batch. Waits for an admin who stops the batch, and shows its state. */
export const SHARE_BATCH: Statement = {
  name: 'card_batch_share',
  text: `SELECT state FROM card_batch WHERE id = $1 FOR SHARE`,
};

/** $1: pledge. Locks the charge and its card. A later statement then sees the charges that were committed meanwhile. */
export const LOCK_CARD_OF_CHARGE: Statement = {
  name: 'card_charge_lock_card',
  text: `SELECT card.id FROM card_charge charge JOIN saved_card card ON card.id = charge.card_id WHERE charge.pledge_id = $1
    FOR UPDATE OF charge, card`,
};

/** A charge with its locked card and guest. */
export interface LockedCharge {
  readonly state: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly card_id: string;
  readonly card_state: string;
  readonly customer_id: string | null;
  readonly method_id: string | null;
  readonly provider: string;
  readonly text_language: string;
  readonly email: string | null;
  readonly obstacle: Obstacle | null;
  readonly is_within_limit: boolean;
  readonly notice: 'due' | 'early' | 'old' | 'missing';
}

/** $1: pledge. Locks the charge, its card and its guest, so that paddle, limit and card stay as they are until the commit. */
export const LOCK_CHARGE: Statement = {
  name: 'card_charge_lock',
  text: `SELECT charge.state, charge.amount, charge.currency, charge.card_id, card.state AS card_state, card.customer_id, card.method_id,
      card.provider, card.text_language, guest.email, ${OBSTACLE} AS obstacle, ${CHARGED} + charge.amount <= card.limit_amount AS is_within_limit,
      CASE WHEN email.state IS DISTINCT FROM 'sent' THEN 'missing' WHEN email.sent_at > now() - ${NOTICE} THEN 'early'
        WHEN email.sent_at < now() - ${NOTICE_OLD} THEN 'old' ELSE 'due' END AS notice
    FROM card_charge charge JOIN donation pledge ON pledge.id = charge.pledge_id JOIN saved_card card ON card.id = charge.card_id
      JOIN guest ON guest.id = card.guest_id AND guest.id = pledge.guest_id LEFT JOIN email ON email.id = charge.email_id
    WHERE charge.pledge_id = $1 FOR UPDATE OF charge, card FOR SHARE OF guest`,
};

/** $1: pledge. Other donations that a donor started to pay the pledge. */
export const OTHER_PAYMENTS: Statement = {
  name: 'card_other_payments',
  text: `SELECT donation.id, donation.provider, donation.payment_id FROM pledge_payment JOIN donation ON donation.id = pledge_payment.donation_id
    WHERE pledge_payment.pledge_id = $1 AND donation.status IN ('PENDING', 'FAILED') ORDER BY donation.id`,
};

/** $1: pledge; $2: donation. The claim: from here on, the provider may have charged the card. */
export const CLAIM_CHARGE: Statement = {
  name: 'card_charge_claim',
  text: `UPDATE card_charge SET state = 'charging', donation_id = $2, claimed_at = now(), next_try_at = now() + interval '1 minute', tries = 0
    WHERE pledge_id = $1 AND state = 'announced' AND donation_id IS NULL`,
};

/** $1: pledge; $2: reason */
export const SKIP_CHARGE: Statement = {
  name: 'card_charge_skip',
  text: `UPDATE card_charge SET state = 'skipped', code = $2, settled_at = now() WHERE pledge_id = $1 AND state = 'announced'`,
};

/** $1: pledge. The pledge is paid by link at the moment, so the charge waits. */
export const POSTPONE_CHARGE: Statement = {
  name: 'card_charge_postpone',
  text: `UPDATE card_charge SET next_try_at = now() + interval '10 minutes' WHERE pledge_id = $1 AND state = 'announced'`,
};

/** A charge that a provider was asked for. */
export interface ClaimedCharge {
  readonly pledge_id: string;
  readonly donation_id: string;
  readonly event_id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly provider: string;
  readonly customer_id: string | null;
  readonly method_id: string | null;
  readonly status: string;
  readonly tries: number;
}

/** $1: pledge. Begins a try: if the process ends, the next try is later. The delay doubles, up to an hour. */
export const TRY_CHARGE: Statement = {
  name: 'card_charge_try',
  text: `UPDATE card_charge charge SET tries = charge.tries + 1,
      next_try_at = now() + least(interval '1 hour', interval '1 minute' * power(2, least(charge.tries, 6)))
    FROM saved_card card, donation payment
    WHERE charge.pledge_id = $1 AND charge.state = 'charging' AND card.id = charge.card_id AND payment.id = charge.donation_id
    RETURNING charge.pledge_id, charge.donation_id, payment.event_id, charge.amount, charge.currency, card.provider, card.customer_id,
      card.method_id, payment.status, charge.tries`,
};

/** $1: pledge. Ends a charge whose payment has an end, and returns it with the reason of the provider. */
export const SETTLE_CHARGE: Statement = {
  name: 'card_charge_settle',
  text: `UPDATE card_charge charge SET settled_at = now(),
      state = CASE WHEN payment.status IN ('COMPLETED', 'REFUNDED') THEN 'paid' ELSE 'failed' END,
      code = CASE WHEN payment.status IN ('COMPLETED', 'REFUNDED') THEN NULL ELSE coalesce((SELECT cause ->> 'code' FROM donation_history
        WHERE donation_history.donation_id = payment.id AND cause ->> 'code' IS NOT NULL ORDER BY donation_history.id DESC LIMIT 1), 'cancelled') END
    FROM donation payment WHERE charge.pledge_id = $1 AND charge.state = 'charging' AND payment.id = charge.donation_id
      AND payment.status <> 'PENDING' RETURNING charge.state`,
};

/** Skips charges whose notice cannot arrive, or is too old. */
export const SKIP_WITHOUT_NOTICE: Statement = {
  name: 'card_charge_skip_without_notice',
  text: `UPDATE card_charge charge SET state = 'skipped', settled_at = now(),
      code = CASE WHEN email.sent_at < now() - ${NOTICE_OLD} THEN 'notice_old' ELSE 'notice_failed' END
    FROM card_batch batch, card_charge own LEFT JOIN email ON email.id = own.email_id
    WHERE charge.state = 'announced' AND batch.id = charge.batch_id AND batch.state = 'announced' AND own.pledge_id = charge.pledge_id
      AND (email.id IS NULL OR email.state IN ('failed', 'bounced') OR email.sent_at < now() - ${NOTICE_OLD})`,
};

export const END_BATCHES: Statement = {
  name: 'card_batch_end',
  text: `UPDATE card_batch batch SET state = 'done', ended_at = now() WHERE state = 'announced'
    AND NOT EXISTS (SELECT 1 FROM card_charge charge WHERE charge.batch_id = batch.id AND charge.state IN ('announced', 'charging'))`,
};

/** $1: e-mail. The charges of a notice whose pledges are still open. */
export const CHARGES_OF_NOTICE: Statement = {
  name: 'card_charges_of_notice',
  text: `SELECT charge.pledge_id, charge.amount, charge.currency, card.brand, card.last4, card.text_language, guest.id AS guest_id, guest.name,
      coalesce(pledge.donor_email, guest.email) AS email, pledge.event_id
    FROM card_charge charge JOIN card_batch batch ON batch.id = charge.batch_id JOIN donation pledge ON pledge.id = charge.pledge_id
      JOIN saved_card card ON card.id = charge.card_id JOIN guest ON guest.id = card.guest_id
    WHERE charge.email_id = $1 AND charge.state = 'announced' AND batch.state = 'announced' AND card.state = 'ready'
      AND pledge.status = 'PENDING' ORDER BY charge.pledge_id`,
};

/** A charge of a notice. */
export interface NoticedCharge {
  readonly pledge_id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly text_language: string;
  readonly guest_id: string;
  readonly name: string;
  readonly email: string | null;
  readonly event_id: string;
}

/** $1: pledge. The charge that the bank declined, and the guest of the card. */
export const FAILED_CHARGE: Statement = {
  name: 'card_charge_failed',
  text: `SELECT charge.code, card.text_language, card.last4, guest.name, coalesce(pledge.donor_email, guest.email) AS email
    FROM card_charge charge JOIN donation pledge ON pledge.id = charge.pledge_id JOIN saved_card card ON card.id = charge.card_id
      JOIN guest ON guest.id = card.guest_id WHERE charge.pledge_id = $1 AND charge.state = 'failed'`,
};
