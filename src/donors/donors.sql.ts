import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { Statement } from '../data/database.js';
import { ALL_COLUMNS } from '../donations/store/donation-columns.js';
import { GIVEN_AT } from '../donations/list/donation-filters.sql.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';

/** SQL statements on donors. */

/** The same expression as in the database index, so that PostgreSQL can use the index. */
const written = (row: string) =>
  `lower(coalesce(${row}.donor_name, '') || ' ' || coalesce(${row}.donor_email, ''))`;

/** The latest matching donation of each donor. So each donor is on one page only. */
const page = (name: string, matches: (row: string) => string): Statement => ({
  name,
  text: `SELECT d.id, d.donor_key FROM donation d
    WHERE ${matches('d')} AND ${notRehearsal('d.event_id')} AND ($1::uuid IS NULL OR d.id < $1)
      AND (d.donor_name IS NOT NULL OR d.donor_email IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM donation n WHERE n.donor_key = d.donor_key AND n.id > d.id AND ${matches('n')}
        AND ${notRehearsal('n.event_id')}
        AND (n.donor_name IS NOT NULL OR n.donor_email IS NOT NULL))
    ORDER BY d.id DESC LIMIT $2`,
});

/** $1: donations before this id, or null; $2: limit */
export const LATEST = page('donors_latest', () => 'true');
/** $1: donations before this id, or null; $2: limit; $3: pattern */
export const FOUND = page('donors_found', (row) => `${written(row)} LIKE lower($3)`);

/** Donations of donors: found by the digest of the e-mail address, or by the donation id if there is no address. */
const WITH_REHEARSALS =
  '(d.donor_key = ANY($1::bytea[]) OR (d.donor_key IS NULL AND d.id = ANY($2::uuid[])))';
const OF_PERSONS = `${WITH_REHEARSALS} AND ${notRehearsal('d.event_id')}`;

export interface PersonRow {
  /** The digest in hexadecimal, or the id of a donation without an e-mail address. */
  readonly key: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly last_id: string;
}

/** $1: donor keys; $2: donations without a key */
export const PERSONS: Statement = {
  name: 'donors_persons',
  text: `SELECT coalesce(encode(d.donor_key, 'hex'), d.id::text) AS key,
      (array_agg(d.donor_name ORDER BY d.id DESC) FILTER (WHERE d.donor_name IS NOT NULL))[1] AS name,
      (array_agg(d.donor_email ORDER BY d.id DESC) FILTER (WHERE d.donor_email IS NOT NULL))[1] AS email,
      (array_agg(d.id ORDER BY d.id DESC))[1] AS last_id
    FROM donation d WHERE ${OF_PERSONS} GROUP BY 1`,
};

export interface PersonTotalRow {
  readonly key: string;
  readonly currency: string;
  readonly donations: number;
  readonly amount: bigint;
}

/** $1: donor keys; $2: donations without a key. Refunds are subtracted from the sums. */
export const TOTALS_OF_PERSONS: Statement = {
  name: 'donors_totals',
  text: `SELECT coalesce(encode(d.donor_key, 'hex'), d.id::text) AS key, d.currency, count(*)::int AS donations,
      sum(d.amount - d.refunded_amount)::bigint AS amount
    FROM donation d WHERE ${OF_PERSONS} AND d.status = 'COMPLETED' GROUP BY 1, 2 ORDER BY 1, 2`,
};

const D_COLUMNS = ALL_COLUMNS.split(', ')
  .map((column) => `d.${column}`)
  .join(', ');

/** $1: donor keys; $2: donations without a key; $3: limit. Newest first, with event names. */
export const DONATIONS_OF_PERSON: Statement = {
  name: 'donors_donations',
  text: `SELECT ${D_COLUMNS}, e.name AS event_name FROM donation d JOIN event e ON e.id = d.event_id
    WHERE ${OF_PERSONS} ORDER BY d.id DESC LIMIT $3`,
};

/** $1: donor keys; $2: donations without a key */
export const DONATION_IDS: Statement = {
  name: 'donors_donation_ids',
  text: `SELECT d.id FROM donation d WHERE ${OF_PERSONS}`,
};

/**
 * Completed donations that were given in a period, oldest first.
 * $1: donor keys; $2: donations without a key; $3: from; $4: to
 */
export const DONATIONS_OF_YEAR: Statement = {
  name: 'donors_donations_of_year',
  text: `SELECT ${D_COLUMNS}, e.name AS event_name FROM donation d JOIN event e ON e.id = d.event_id
    CROSS JOIN LATERAL (SELECT ${GIVEN_AT} AS given_at FROM (SELECT d.completed_at, d.created_at, d.recorded_at, d.paid_at, d.type) AS donation) AS given
    WHERE ${OF_PERSONS} AND d.status = 'COMPLETED' AND given_at >= $3 AND given_at < $4
    ORDER BY given_at, d.id`,
};

/** $1: donor keys; $2: donations without a key; $3: limit. Donations that still contain donor data, also of rehearsals. */
export const TO_ERASE: Statement = {
  name: 'donors_to_erase',
  text: `SELECT d.id FROM donation d WHERE ${WITH_REHEARSALS} AND (d.donor_name IS NOT NULL OR d.donor_email IS NOT NULL
      OR d.message IS NOT NULL OR d.donor_address IS NOT NULL OR d.address IS NOT NULL OR d.gift_aid IS NOT NULL
      OR d.reference IS NOT NULL OR d.note IS NOT NULL OR d.tribute IS NOT NULL OR d.benefit_text IS NOT NULL
      OR d.donor_pronunciation IS NOT NULL
      OR EXISTS (SELECT 1 FROM gift_aid_declaration g WHERE g.donation_id = d.id AND g.sealed_at IS NULL)
      OR EXISTS (SELECT 1 FROM collective_gift c WHERE c.donation_id = d.id AND c.printed IS NOT NULL)
      OR EXISTS (SELECT 1 FROM receipt r WHERE r.donation_id = d.id
        AND (r.printed ->> 'donorName' IS NOT NULL OR r.printed ->> 'message' IS NOT NULL
          OR r.printed ->> 'donorAddress' IS NOT NULL OR r.facts IS NOT NULL)))
    ORDER BY d.id LIMIT $3`,
};

/**
 * Erases the donor from printed values. Number, amount and date stay. The receipt is not replaced, because the donation has no
 * donor data either.
 */
export const ERASE_PRINTED: Statement = {
  name: 'donors_erase_printed',
  text: `UPDATE receipt SET facts = NULL, printed = jsonb_build_object('donorName', NULL, 'message', NULL)
      || CASE WHEN printed ? 'benefitValue' THEN jsonb_build_object('benefitValue', printed -> 'benefitValue') ELSE '{}' END
    WHERE donation_id = ANY($1::uuid[]) AND printed IS NOT NULL`,
};

/** Erases the donor from collective receipts. Number and days stay. $1: donations */
export const ERASE_COLLECTIVE: Statement = {
  name: 'donors_erase_collective',
  text: `WITH gifts AS (
      UPDATE collective_gift SET printed = NULL WHERE donation_id = ANY($1::uuid[]) AND printed IS NOT NULL
      RETURNING year, number
    )
    UPDATE collective_receipt c SET facts = NULL FROM (SELECT DISTINCT year, number FROM gifts) AS gift
    WHERE c.year = gift.year AND c.number = gift.number`,
};

/**
 * Erases donor words in reasons, because people who type a reason may use the donor's name.
 * $1: donations; $2: pattern; $3: fixed reasons to skip
 */
export const ERASE_REASONS: readonly Statement[] = (['donation_history', 'refund'] as const).map((table) => ({
  name: `donors_erase_${table}_reasons`,
  text: `UPDATE ${table} SET reason = regexp_replace(reason, $2, '…', 'gi')
    WHERE donation_id = ANY($1::uuid[]) AND reason ~* $2 AND reason <> ALL($3::text[])`,
}));

/** Deletes messages to the tills, and requests of tills, with words of the donor. $1: pattern */
export const ERASE_FLOOR: Statement = {
  name: 'donors_erase_floor_messages',
  text: 'DELETE FROM floor_message WHERE text ~* $1 OR place ~* $1',
};

/** Deletes stored requests to providers. The server needs them only until the payment has a final state. */
export const ERASE_PROVIDER_REQUESTS: Statement = {
  name: 'donors_erase_provider_requests',
  text: `DELETE FROM provider_request WHERE (provider, key) IN (
      SELECT provider, 'intent:' || id FROM donation WHERE id = ANY($1::uuid[]) AND status NOT IN ('PENDING', 'FAILED'))`,
};

/** Ends the saved cards of the donor. The background work deletes them at the provider. $1: donor key or null; $2: donations */
export const END_SAVED_CARDS: Statement = {
  name: 'donors_end_saved_cards',
  text: `UPDATE saved_card SET state = 'ending', end_reason = 'erased', next_try_at = now(), tries = 0, brand = NULL, last4 = NULL,
      expires_on = NULL
    WHERE state IN ('opening', 'ready') AND guest_id IN (SELECT id FROM guest WHERE donor_key = $1
      OR id IN (SELECT guest_id FROM donation WHERE id = ANY($2::uuid[]) AND guest_id IS NOT NULL))`,
};

/** Deletes the donor from guest lists. $1: donor key or null; $2: donations */
export const ERASE_GUESTS: Statement = {
  name: 'donors_erase_guests',
  text: `DELETE FROM guest WHERE donor_key = $1
    OR id IN (SELECT guest_id FROM donation WHERE id = ANY($2::uuid[]) AND guest_id IS NOT NULL)`,
};

/** Deletes uploaded lists that were not imported, because their files cannot be searched. They can be uploaded again. */
export const ERASE_UPLOADS: Statement = {
  name: 'donors_erase_uploads',
  text: `DELETE FROM table_import WHERE status = 'uploaded'`,
};

/**
 * Removes the name and address of a matcher. The digest stays, as for donations, so that the own donations of the matcher still
 * draw from no pool. $1: donor key
 */
export const ERASE_MATCHER: Statement = {
  name: 'donors_erase_matcher',
  text: `UPDATE match_pool SET matcher_name = NULL, matcher_email = NULL, url = NULL, logo = NULL, settled_note = NULL,
      is_matcher_anonymous = true, version = version + 1, updated_at = now()
    WHERE matcher_key = $1 AND (matcher_name IS NOT NULL OR matcher_email IS NOT NULL)`,
};

/** $1: donor key. The match pools of a person. */
export const IS_MATCHER: Statement = {
  name: 'donors_is_matcher',
  text: `SELECT 1 AS one FROM match_pool WHERE matcher_key = $1 AND (matcher_name IS NOT NULL OR matcher_email IS NOT NULL)
    LIMIT 1`,
};

/** $1: donor key */
export const MATCH_POOLS_OF_PERSON: Statement = {
  name: 'donors_match_pools',
  text: `SELECT id, event_id, name, matcher_name, matcher_email, url, cap, currency, status, drawn, settled_note, created_at
    FROM match_pool WHERE matcher_key = $1 ORDER BY id LIMIT 1000`,
};

/** Erases the donor from the stored rows of imports. An undo then leaves the guest of the row unchanged. $1: pattern */
export const ERASE_IMPORTED: readonly Statement[] = [
  {
    name: 'donors_erase_import_rows',
    text: `DELETE FROM table_import_row WHERE before::text ~* $1
      OR NOT EXISTS (SELECT 1 FROM guest WHERE guest.id = table_import_row.guest_id)`,
  },
  {
    name: 'donors_erase_wrong_rows',
    text: `UPDATE table_import SET wrong_rows = NULL WHERE wrong_rows IS NOT NULL
      AND convert_from(wrong_rows, 'UTF8') ~* $1`,
  },
];

export const SETTLE_EMAIL_ITEMS: Statement = {
  name: 'donors_settle_email_items',
  text: `UPDATE review_item SET resolved_at = now()
    WHERE kind = 'email_failed' AND donation_id = ANY($1::uuid[]) AND resolved_at IS NULL`,
};

// Data export: all stored data of a donor except the donations themselves.

const ofDonations = (name: string, columns: string, table: string, order: string): Statement => ({
  name: `donors_export_${name}`,
  text: `SELECT ${columns} FROM ${table} WHERE donation_id = ANY($1::uuid[]) ORDER BY ${order}`,
});

export const EXPORTED = {
  history: ofDonations(
    'history',
    'donation_id, from_status, to_status, actor_kind, reason, cause, fields, created_at',
    'donation_history',
    'donation_id, created_at',
  ),
  refunds: ofDonations(
    'refunds',
    'donation_id, amount, currency, status, reason, created_at',
    'refund',
    'created_at',
  ),
  disputes: ofDonations(
    'disputes',
    'donation_id, amount, currency, status, reason, created_at',
    'dispute',
    'created_at',
  ),
  receipts: ofDonations(
    'receipts',
    'donation_id, year, number, issued_at, printed, method, wallet, replaces, replaced_at, pack, pack_version, facts',
    'receipt',
    'year, number',
  ),
  collectiveReceipts: {
    name: 'donors_export_collective_receipts',
    text: `SELECT year, number, from_day::text, to_day::text, issued_at, replaces, replaced_at, pack, pack_version, facts
      FROM collective_receipt WHERE (year, number) IN (
        SELECT year, number FROM collective_gift WHERE donation_id = ANY($1::uuid[])) ORDER BY year, number`,
  },
  sealedReceipts: {
    name: 'donors_export_sealed_receipts',
    text: `SELECT year, number, is_collective, pack, pack_version, law, sealed_at, keep_until::text FROM sealed_receipt
      WHERE (year, number) IN (SELECT year, number FROM receipt WHERE donation_id = ANY($1::uuid[])
        UNION ALL SELECT year, number FROM collective_gift WHERE donation_id = ANY($1::uuid[])) ORDER BY year, number`,
  },
  collectiveGifts: ofDonations(
    'collective_gifts',
    'donation_id, year, number, printed',
    'collective_gift',
    'year, number, donation_id',
  ),
  reviewItems: ofDonations(
    'review_items',
    'donation_id, kind, detail, created_at, resolved_at',
    'review_item',
    'created_at',
  ),
  giftAidDeclarations: {
    name: 'donors_export_gift_aid',
    text: `SELECT g.donation_id, g.scope, g.channel, g.language, g.first_name, g.last_name, g.address, g.declared_at, g.cancelled_at,
        g.cancel_reason, g.sealed_at, g.keep_until::text, t.version, t.text
      FROM gift_aid_declaration g JOIN gift_aid_text t ON t.digest = g.text_digest
      WHERE g.donation_id = ANY($1::uuid[]) ORDER BY g.declared_at, g.id`,
  },
  giftAidClaims: {
    name: 'donors_export_gift_aid_claims',
    text: `SELECT claimed.donation_id, claim.number, claimed.given_on::text, claimed.amount, claim.created_at
      FROM gift_aid_claim_donation claimed JOIN gift_aid_claim claim ON claim.id = claimed.claim_id
      WHERE claimed.donation_id = ANY($1::uuid[]) ORDER BY claim.number, claimed.place`,
  },
  floorMessages: {
    name: 'donors_export_floor_messages',
    text: `SELECT message.text, message.created_at FROM floor_message message WHERE EXISTS (
        SELECT FROM donation d CROSS JOIN LATERAL (VALUES (d.donor_email), (d.donor_name)) AS word (text)
        WHERE d.id = ANY($1::uuid[]) AND length(word.text) > 2 AND strpos(lower(message.text), lower(word.text)) > 0)
      ORDER BY message.created_at`,
  },
  pledgeContacts: {
    name: 'donors_export_pledge_contacts',
    text: `SELECT pledge_id, step, email_id, at FROM pledge_contact WHERE pledge_id = ANY($1::uuid[]) ORDER BY at, pledge_id, step`,
  },
  pledgeOptOuts: {
    name: 'donors_export_pledge_opt_outs',
    text: `SELECT created_at FROM pledge_opt_out
      WHERE donor_key IN (SELECT donor_key FROM donation WHERE id = ANY($1::uuid[]))`,
  },
  tributeOptOuts: {
    name: 'donors_export_tribute_opt_outs',
    text: `SELECT created_at FROM tribute_opt_out
      WHERE address_key IN (SELECT donor_key FROM donation WHERE id = ANY($1::uuid[]))`,
  },
  ownPageLinks: {
    name: 'donors_export_own_page_links',
    text: `SELECT created_at, expires_at, used_at FROM donor_link
      WHERE donor_key IN (SELECT donor_key FROM donation WHERE id = ANY($1::uuid[])) ORDER BY created_at`,
  },
  ownPageSessions: {
    name: 'donors_export_own_page_sessions',
    text: `SELECT created_at, used_at FROM donor_session
      WHERE donor_key IN (SELECT donor_key FROM donation WHERE id = ANY($1::uuid[])) ORDER BY created_at`,
  },
  erasureRequests: {
    name: 'donors_export_erasure_requests',
    text: `SELECT created_at, due_by, resolved_at FROM review_item WHERE kind = 'erasure_requested'
      AND subject IN (SELECT 'donor:' || encode(donor_key, 'hex') FROM donation WHERE id = ANY($1::uuid[])) ORDER BY created_at`,
  },
  guests: {
    name: 'donors_export_guests',
    text: `SELECT event_id, name, email, phone, table_name, seat, paddle, party, note, is_vip, needs_help, checked_in_at,
        created_at, updated_at FROM guest
      WHERE donor_key IN (SELECT donor_key FROM donation WHERE id = ANY($1::uuid[]))
        OR id IN (SELECT guest_id FROM donation WHERE id = ANY($1::uuid[])) ORDER BY id`,
  },
  savedCards: {
    name: 'donors_export_saved_cards',
    text: `SELECT event_id, state, end_reason, paddle, limit_amount, currency, pledged_until, valid_until, encode(text_digest, 'hex') AS text_digest,
        text_version, text_language, agreed_at, brand, last4, expires_on::text, ended_at FROM saved_card
      WHERE guest_id IN (SELECT id FROM guest WHERE donor_key IN (SELECT donor_key FROM donation WHERE id = ANY($1::uuid[]))
          OR id IN (SELECT guest_id FROM donation WHERE id = ANY($1::uuid[])))
        OR id IN (SELECT card_id FROM card_charge WHERE pledge_id = ANY($1::uuid[])) ORDER BY agreed_at, id`,
  },
  cardCharges: {
    name: 'donors_export_card_charges',
    text: `SELECT pledge_id, donation_id, amount, currency, state, code, claimed_at, settled_at FROM card_charge
      WHERE pledge_id = ANY($1::uuid[]) ORDER BY pledge_id`,
  },
  importedRows: {
    name: 'donors_export_imported_rows',
    text: `SELECT number, before, applied_at FROM table_import_row WHERE guest_id IN (
        SELECT id FROM guest WHERE donor_key IN (SELECT donor_key FROM donation WHERE id = ANY($1::uuid[]))
          OR id IN (SELECT guest_id FROM donation WHERE id = ANY($1::uuid[])))
      ORDER BY applied_at, number`,
  },
} as const;

/** One donor as statement parameters: the digest of the e-mail address, or the id of a donation without an address. */
export interface PersonRef {
  readonly key: string;
  readonly donorKey: Buffer | undefined;
  readonly values: readonly [keys: Buffer[], ids: string[]];
}

/**
 * Parses a donor key of the API: the e-mail digest as 64 hexadecimal digits, or the id of a donation without an
 * e-mail address.
 * @throws NotFoundError for anything else
 */
export function personRef(key: string): PersonRef {
  if (/^[0-9a-f]{64}$/.test(key)) {
    const donorKey = Buffer.from(key, 'hex');
    return { key, donorKey, values: [[donorKey], []] };
  }
  if (isId(key)) return { key: key.toLowerCase(), donorKey: undefined, values: [[], [key]] };
  throw noSuchDonor();
}

export const noSuchDonor = () => new NotFoundError('DONOR_NOT_FOUND', 'There is no such donor');
