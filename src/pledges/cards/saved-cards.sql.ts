import type { Statement } from '../../data/database.js';

/** A card that a guest saved. */
export interface SavedCardRow {
  readonly id: string;
  readonly event_id: string | null;
  readonly guest_id: string | null;
  readonly state: 'opening' | 'ready' | 'ending' | 'ended';
  readonly paddle: string;
  readonly limit_amount: bigint;
  readonly currency: string;
  readonly pledged_until: Date;
  readonly valid_until: Date;
  readonly text_language: string;
  readonly provider: string;
  readonly customer_id: string | null;
  readonly setup_id: string | null;
  readonly method_id: string | null;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly created_at: Date;
}

const COLUMNS =
  'id, event_id, guest_id, state, paddle, limit_amount, currency, pledged_until, valid_until, text_language, provider, ' +
  'customer_id, setup_id, method_id, brand, last4, created_at';

/** A guest with the own paddle, for the page on which a card is saved. */
export interface PayingGuest {
  readonly id: string;
  readonly event_id: string;
  readonly name: string;
  readonly email: string | null;
  /** Null if the guest has none, shares one, or the paddle is in doubt. */
  readonly paddle: string | null;
}

/** $1: guest */
export const PAYING_GUEST: Statement = {
  name: 'card_guest',
  text: `SELECT id, event_id, name, email, CASE WHEN contested_paddle IS NULL THEN paddle END AS paddle
    FROM guest WHERE id = $1`,
};

/** Keeps the address that a guest typed, if the list has none. $1: guest; $2: address; $3: donor key */
export const KEEP_ADDRESS: Statement = {
  name: 'card_guest_address',
  text: `UPDATE guest SET email = $2, donor_key = $3, updated_at = now() WHERE id = $1 AND email IS NULL`,
};

/**
 * Begins to save a card, unless the guest has begun too often today: the page must not serve to test stolen cards.
 * $1: id; $2: guest; $3: event; $4: paddle; $5: limit; $6: currency; $7: last pledge; $8: end; $9: digest; $10: version;
 * $11: language; $12: provider; $13: maximum number of tries a day
 */
export const OPEN_CARD: Statement = {
  name: 'card_open',
  text: `INSERT INTO saved_card (id, guest_id, event_id, state, paddle, limit_amount, currency, pledged_until, valid_until, text_digest,
      text_version, text_language, agreed_at, provider, next_try_at)
    SELECT $1::uuid, $2::uuid, $3::uuid, 'opening', $4::text, $5::bigint, $6::text, $7::timestamptz, $8::timestamptz, $9::bytea,
      $10::text, $11::text, now(), $12::text, now() + interval '1 minute'
    WHERE (SELECT count(*) FROM saved_card WHERE guest_id = $2 AND created_at > now() - interval '1 day') < $13::int
    RETURNING id`,
};

/** $1: card; $2: customer; $3: setup */
export const KEEP_OPENED: Statement = {
  name: 'card_keep_opened',
  text: `UPDATE saved_card SET customer_id = $2, setup_id = $3 WHERE id = $1 AND setup_id IS NULL`,
};

/** $1: guest. The card that the guest began to save last. */
export const OPENING_CARD_OF_GUEST: Statement = {
  name: 'card_opening_of_guest',
  text: `SELECT ${COLUMNS} FROM saved_card WHERE guest_id = $1 AND state = 'opening' AND setup_id IS NOT NULL
    ORDER BY created_at DESC LIMIT 1`,
};

/** $1: guest */
export const READY_CARD_OF_GUEST: Statement = {
  name: 'card_ready_of_guest',
  text: `SELECT ${COLUMNS} FROM saved_card WHERE guest_id = $1 AND state = 'ready'`,
};

/** $1: card */
export const LOCK_CARD: Statement = {
  name: 'card_lock',
  text: `SELECT ${COLUMNS} FROM saved_card WHERE id = $1 FOR UPDATE`,
};

/** $1: guest; $2: the new card. Ends the guest's earlier cards and returns them. */
export const REPLACE_CARDS: Statement = {
  name: 'card_replace',
  text: `UPDATE saved_card SET state = 'ending', end_reason = 'replaced', next_try_at = now(), tries = 0
    WHERE guest_id = $1 AND id <> $2 AND state IN ('opening', 'ready') RETURNING id`,
};

/** $1: the new card; $2: replaced cards. The next charges use the new card. */
export const MOVE_CHARGES: Statement = {
  name: 'card_move_charges',
  text: `UPDATE card_charge SET card_id = $1 WHERE card_id = ANY($2::uuid[]) AND state = 'announced'`,
};

/** $1: card; $2: method; $3: brand; $4: last digits; $5: last day */
export const KEEP_READY: Statement = {
  name: 'card_keep_ready',
  text: `UPDATE saved_card SET state = 'ready', method_id = $2, brand = $3, last4 = $4, expires_on = $5::date, tries = 0
    WHERE id = $1 AND state = 'opening'`,
};

/** $1: guest; $2: reason. Returns the ended cards. */
export const END_CARDS: Statement = {
  name: 'card_end',
  text: `UPDATE saved_card SET state = 'ending', end_reason = $2, next_try_at = now(), tries = 0, brand = NULL, last4 = NULL,
      expires_on = NULL
    WHERE guest_id = $1 AND state IN ('opening', 'ready') RETURNING id`,
};

/** $1: guest. Stops the announced charges of the guest, at all cards. */
export const STOP_CHARGES: Statement = {
  name: 'card_stop_charges',
  text: `UPDATE card_charge SET state = 'stopped', code = 'guest', settled_at = now()
    WHERE card_id IN (SELECT id FROM saved_card WHERE guest_id = $1) AND state = 'announced' RETURNING pledge_id`,
};

/** An announced charge of a guest. */
export interface ComingCharge {
  readonly pledge_id: string;
  readonly amount: bigint;
  readonly currency: string;
  /** First time of the charge; null until the notice is sent. */
  readonly charged_from: Date | null;
}

/** $1: guest */
export const COMING_CHARGES: Statement = {
  name: 'card_coming_charges',
  text: `SELECT charge.pledge_id, charge.amount, charge.currency, email.sent_at + interval '24 hours' AS charged_from
    FROM card_charge charge JOIN saved_card card ON card.id = charge.card_id
      JOIN card_batch batch ON batch.id = charge.batch_id LEFT JOIN email ON email.id = charge.email_id
    WHERE card.guest_id = $1 AND charge.state = 'announced' AND batch.state = 'announced' ORDER BY charge.pledge_id`,
};

// A card is used up after a charge, if the guest has no open pledge that it could still be charged for.
const USED_UP = `EXISTS (SELECT 1 FROM card_charge charge WHERE charge.card_id = card.id AND charge.state IN ('paid', 'failed'))
    AND NOT EXISTS (SELECT 1 FROM donation pledge LEFT JOIN card_charge charge ON charge.pledge_id = pledge.id
      WHERE pledge.paddle = card.paddle AND pledge.event_id = card.event_id AND pledge.guest_id = card.guest_id
        AND pledge.type = 'pledge' AND pledge.status = 'PENDING' AND coalesce(charge.state, '') <> 'failed'
        AND NOT coalesce(charge.state = 'stopped' AND charge.code = 'guest', false))`;

/** Ends cards that are over, used up, abandoned, or without a guest or an event. */
export const END_OLD_CARDS: Statement = {
  name: 'card_end_old',
  text: `UPDATE saved_card card SET state = 'ending', next_try_at = now(), tries = 0, brand = NULL, last4 = NULL, expires_on = NULL,
      end_reason = CASE WHEN guest_id IS NULL OR event_id IS NULL THEN 'deleted' WHEN valid_until <= now() THEN 'over'
        WHEN state = 'opening' THEN 'abandoned' ELSE 'used' END
    WHERE state IN ('opening', 'ready') AND (guest_id IS NULL OR event_id IS NULL OR valid_until <= now()
      OR (state = 'opening' AND created_at < now() - interval '1 hour') OR (state = 'ready' AND ${USED_UP}))`,
};

/** A claim of background work: if the process ends, the next try is later. The delay doubles, up to an hour. */
const NEXT_TRY = `next_try_at = now() + least(interval '1 hour', interval '1 minute' * power(2, least(tries, 6))), tries = tries + 1`;

const claim = (name: string, condition: string): Statement => ({
  name,
  text: `UPDATE saved_card SET ${NEXT_TRY} WHERE id = (SELECT id FROM saved_card card WHERE ${condition} AND next_try_at <= now()
      ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING ${COLUMNS}`,
});

/** Claims a card that the guest entered, although the page did not report it. */
export const CLAIM_OPENING = claim('card_claim_opening', `state = 'opening' AND setup_id IS NOT NULL`);

/** Claims a card to delete at the provider. A card whose charge has no answer yet waits for the answer. */
export const CLAIM_ENDING = claim(
  'card_claim_ending',
  `state = 'ending' AND NOT EXISTS (SELECT 1 FROM card_charge WHERE card_charge.card_id = card.id AND card_charge.state = 'charging')`,
);

/** $1: card. The consent stays as the proof of the charges. */
export const ENDED: Statement = {
  name: 'card_ended',
  text: `UPDATE saved_card SET state = 'ended', ended_at = now(), customer_id = NULL, setup_id = NULL, method_id = NULL, brand = NULL,
      last4 = NULL, expires_on = NULL WHERE id = $1 AND state = 'ending'`,
};

/** Deletes the consent of cards without a guest that were never charged. */
export const FORGET_CARDS: Statement = {
  name: 'card_forget',
  text: `DELETE FROM saved_card card WHERE state = 'ended' AND guest_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM card_charge WHERE card_charge.card_id = card.id)`,
};
