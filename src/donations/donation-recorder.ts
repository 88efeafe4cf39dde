import { Injectable } from '@nestjs/common';
import { MicroBatcher } from '../common/micro-batcher.js';
import { toJsonAmount } from '../common/money/minor-units.js';
import { Database, type Statement } from '../data/database.js';
import { OutboxSignal } from '../outbox/outbox-signal.js';
import type { Actor } from '../common/access/actor.js';
import type { OfflineType } from './donation-row.js';
import { anyShard } from './totals.js';

/** An offline donation, checked and ready to be written. */
export interface Donation {
  readonly id: string;
  readonly historyId: string;
  readonly eventId: string;
  readonly amount: number;
  readonly type: OfflineType;
  readonly donorName: string | null;
  readonly donorEmail: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
  /** Whether somebody was asked about an unusually large amount and said yes. */
  readonly confirmed: boolean;
  /** Keyed digest of the e-mail, hexadecimal. */
  readonly donorKey: string | null;
  readonly staffId: string | null;
  readonly staffName: string | null;
  readonly actor: Actor;
  readonly createdAt: string;
  /** The request's idempotency key, and the answer to keep under it (the currency is filled in). */
  readonly idempotency: {
    readonly scope: string;
    readonly key: string;
    readonly digest: string;
    readonly answer: object;
  } | null;
}

export type RecordingResult =
  | { readonly kind: 'recorded'; readonly currency: string }
  /** The event does not exist or takes no offline donations now. */
  | { readonly kind: 'event-closed' }
  /** More than the settings let one record be, or be without a confirmation. */
  | { readonly kind: 'too-large' | 'unconfirmed'; readonly limit: number }
  /** Somebody used the idempotency key before. */
  | { readonly kind: 'key-used' };

/** What stored settings say of recording, as columns; the older form of `live.moderate` is read too. */
const rulesIn = (settings: string): string => `
      coalesce(${settings} #>> '{live,moderate}', CASE ${settings} #>> '{live,moderateMessages}'
        WHEN 'true' THEN 'messages' WHEN 'false' THEN 'none' END) AS moderate,
      ${amountIn(settings, 'maxOfflineAmount')} AS most,
      ${amountIn(settings, 'confirmOfflineAbove')} AS unasked`;

const amountIn = (settings: string, name: string): string =>
  `CASE jsonb_typeof(${settings} #> '{donation,${name}}') WHEN 'number'
        THEN (${settings} #>> '{donation,${name}}')::numeric END`;

/**
 * The whole booking of offline donations in one statement, for one donation or for the donations of the same few
 * milliseconds: idempotency keys, rows, history, donors, totals and outbox commit together or not at all.
 * `$1`: donations as a JSON array; `$2`: the shard of the totals.
 */
const RECORD: Statement = {
  name: 'donations_record',
  text: `
  WITH input AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS donation (
      id uuid, "historyId" uuid, "eventId" uuid, amount bigint, type donation_type, "donorName" text,
      "donorEmail" text, "isAnonymous" boolean, message text, "donorKey" text, "staffId" uuid, "staffName" text,
      confirmed boolean, actor jsonb, "createdAt" timestamptz, idempotency jsonb)
  ), target AS (
    -- KEY SHARE: neither a change of the currency nor a delete can slip in between.
    SELECT id, currency, ${rulesIn('overrides')} FROM event
    WHERE id IN (SELECT "eventId" FROM input) AND status IN ('active', 'paused', 'closed')
    ORDER BY id FOR KEY SHARE
  ), house AS (
    SELECT ${rulesIn('value')} FROM global_settings
  ), judged AS (
    SELECT input.id, amount > most AS "tooLarge", amount > unasked AND NOT confirmed AS unconfirmed, most, unasked
    FROM input JOIN (
      SELECT target.id, coalesce(target.most, house.most) AS most, coalesce(target.unasked, house.unasked) AS unasked
      FROM target LEFT JOIN house ON true
    ) rule ON rule.id = input."eventId"
  ), accepted AS (
    SELECT input.* FROM input JOIN judged USING (id) WHERE ("tooLarge" OR unconfirmed) IS NOT TRUE
  ), claimed AS (
    INSERT INTO idempotency_key (scope, key, request_digest, donation_id, answer, answered_at)
    SELECT idempotency->>'scope', idempotency->>'key', decode(idempotency->>'digest', 'hex'), input.id,
      ((idempotency->'answer') || jsonb_build_object('currency', target.currency))::text, now()
    FROM accepted AS input JOIN target ON target.id = input."eventId"
    WHERE jsonb_typeof(idempotency) = 'object'
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING RETURNING donation_id
  ), donation AS (
    INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, is_anonymous,
      message, message_state, donor_key, staff_id, staff_name, created_at, updated_at, completed_at)
    SELECT input.id, target.id, amount, currency, type,
      (CASE WHEN type = 'pledge' THEN 'PENDING' ELSE 'COMPLETED' END)::donation_status,
      "donorName", "donorEmail", "isAnonymous", message,
      (CASE WHEN message IS NOT NULL AND coalesce(target.moderate, (SELECT moderate FROM house)) = 'messages'
        THEN 'held' ELSE 'visible' END)::message_state,
      decode("donorKey", 'hex'), "staffId", "staffName", "createdAt", "createdAt",
      CASE WHEN type = 'pledge' THEN NULL ELSE "createdAt" END
    FROM accepted AS input JOIN target ON target.id = input."eventId"
    WHERE jsonb_typeof(idempotency) IS DISTINCT FROM 'object' OR input.id IN (SELECT donation_id FROM claimed)
    ORDER BY input.id
    RETURNING id, event_id, amount, currency, status, donor_key
  ), history AS (
    INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, created_at)
    SELECT input."historyId", donation.id, NULL, donation.status, (actor->>'kind')::actor_kind, actor->>'id', clock_timestamp()
    FROM donation JOIN input USING (id)
  ), counted AS (
    SELECT * FROM donation WHERE status = 'COMPLETED'
  ), known AS (
    SELECT event_id, currency, donor_key, count(*)::int AS donations FROM counted WHERE donor_key IS NOT NULL
    GROUP BY event_id, currency, donor_key
  ), donor AS (
    INSERT INTO event_donor (event_id, currency, donor_key, donations)
    SELECT event_id, currency, donor_key, donations FROM known ORDER BY event_id, currency, donor_key
    ON CONFLICT (event_id, currency, donor_key) DO UPDATE SET donations = event_donor.donations + excluded.donations
    RETURNING event_id, currency, donor_key, donations
  ), new_donors AS (
    SELECT event_id, currency, count(*) AS donors FROM donor JOIN known USING (event_id, currency, donor_key)
    WHERE donor.donations = known.donations GROUP BY event_id, currency
  ), total AS (
    INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count)
    SELECT event_id, currency, $2::smallint, sum(amount),
      count(*) FILTER (WHERE donor_key IS NULL)
        + coalesce((SELECT donors FROM new_donors n WHERE (n.event_id, n.currency) = (counted.event_id, counted.currency)), 0)
    FROM counted GROUP BY event_id, currency ORDER BY event_id, currency
    ON CONFLICT (event_id, currency, shard) DO UPDATE
      SET total_raised = event_total.total_raised + excluded.total_raised,
          donor_count = event_total.donor_count + excluded.donor_count
  ), message AS (
    INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, 'donation.created', id FROM counted ORDER BY id
  )
  SELECT input.id, target.currency, donation.id IS NOT NULL AS recorded,
    CASE WHEN "tooLarge" THEN judged.most::bigint END AS "tooLargeFor",
    CASE WHEN unconfirmed THEN judged.unasked::bigint END AS "askedAbove"
  FROM input LEFT JOIN target ON target.id = input."eventId" LEFT JOIN judged ON judged.id = input.id
    LEFT JOIN donation ON donation.id = input.id`,
};

interface RecordedRow {
  readonly id: string;
  readonly currency: string | null;
  readonly recorded: boolean;
  /** The limit that refused it, minor units. */
  readonly tooLargeFor: bigint | null;
  readonly askedAbove: bigint | null;
}

/** Writes offline donations, those that arrive together in one statement. */
@Injectable()
export class DonationRecorder {
  private readonly batcher = new MicroBatcher<Donation, RecordingResult>(
    (donations) => this.write(donations),
    {
      maxBatch: 64,
      maxWaiting: 10_000,
    },
  );

  constructor(
    private readonly database: Database,
    private readonly signal: OutboxSignal,
  ) {}

  /** Resolves after the commit. */
  async record(donation: Donation): Promise<RecordingResult> {
    return await this.batcher.add(donation);
  }

  private async write(donations: readonly Donation[]): Promise<RecordingResult[]> {
    const rows = await this.database.query<RecordedRow>(RECORD, [JSON.stringify(donations), anyShard()]);
    this.signal.raise();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return donations.map(({ id }) => {
      const row = byId.get(id);
      if (!row?.currency) return { kind: 'event-closed' };
      if (row.tooLargeFor !== null) return { kind: 'too-large', limit: toJsonAmount(row.tooLargeFor) };
      if (row.askedAbove !== null) return { kind: 'unconfirmed', limit: toJsonAmount(row.askedAbove) };
      return row.recorded ? { kind: 'recorded', currency: row.currency } : { kind: 'key-used' };
    });
  }
}
