import { sql } from '../support/fixtures.js';
import type { PaymentsApp } from '../support/payments.js';

/**
 * Everything that the books of an event say, in a form in which two of them can be compared: ids stand as the number of
 * their first appearance, times only as being there.
 */
export async function comparableBooks(app: PaymentsApp, eventId: string): Promise<unknown> {
  const donations = await rows(
    app,
    // Of donations that reconciliation finds, those of the provider that answers first are made first.
    'SELECT to_jsonb(d) AS row FROM donation d WHERE event_id = $1 ORDER BY provider, id',
    [eventId],
  );
  const ids = donations.map(({ id }) => id);
  const payments = donations.map(({ payment_id: payment }) => payment);
  const ofDonations = (table: string, order: string) =>
    rows(
      app,
      `SELECT to_jsonb(t) AS row FROM ${table} t WHERE donation_id = ANY($1)
       ORDER BY array_position($1::uuid[], donation_id), ${order}`,
      [ids],
    );
  const names = new Map<string, string>();
  const named = (text: string) =>
    text.replace(ID, (id) => {
      const known = names.get(id) ?? `#${names.size}`;
      names.set(id, known);
      return known;
    });
  const inOrder = (all: readonly Row[]) => all.map((row) => named(JSON.stringify(withoutTimes(row))));
  // What several of one moment have no order among themselves.
  const sorted = (all: readonly Row[], ...left: string[]) =>
    all
      .map((row) =>
        Object.fromEntries(Object.entries(withoutTimes(row)).filter(([key]) => !left.includes(key))),
      )
      .map((row) => named(JSON.stringify(row)))
      .sort();
  return {
    donations: inOrder(donations),
    history: inOrder(await ofDonations('donation_history', 'created_at, id')),
    outbox: inOrder(
      (await ofDonations('outbox', 'id')).map((row) => ({ topic: row.topic, donation: row.donation_id })),
    ),
    refunds: inOrder(await ofDonations('refund', 'id')),
    disputes: inOrder(await ofDonations('dispute', 'id')),
    emails: sorted(
      await ofDonations('email', 'id'),
      'id',
      'state',
      'attempts',
      'last_error',
      'is_copy',
      'claimed_until',
      'sent_at',
      'next_attempt_at',
    ),
    events: sorted(
      await rows(
        app,
        'SELECT to_jsonb(w) AS row FROM webhook_event w WHERE donation_id = ANY($1) OR payment_id = ANY($2)',
        [ids, payments],
      ),
      'webhook_event_id',
    ),
    reviews: sorted(
      await rows(
        app,
        `SELECT to_jsonb(r) AS row FROM review_item r
         WHERE donation_id = ANY($1) OR split_part(subject, ':', 2) = ANY($2)`,
        [ids, payments],
      ),
      'id',
    ),
    totals: await sql(
      app,
      `SELECT currency, sum(total_raised)::text AS raised, sum(donor_count)::text AS donors FROM event_total
       WHERE event_id = $1 GROUP BY 1 ORDER BY 1`,
      [eventId],
    ),
    donors: await sql(
      app,
      `SELECT currency, encode(donor_key, 'hex') AS donor, donations FROM event_donor WHERE event_id = $1 ORDER BY 1, 2`,
      [eventId],
    ),
  };
}

type Row = Record<string, unknown>;

/** Of ours, of Stripe, of PayPal. */
const ID =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[a-z]{2,4}_[0-9A-Za-z]{24}\b|\bWH-[0-9A-Z]{17}-[0-9A-Z]{17}\b|\bPP-[0-9A-Z-]+|\b[0-9A-Z]{17}\b/g;

const rows = async (app: PaymentsApp, text: string, values: unknown[]): Promise<Row[]> =>
  (await sql<{ row: Row }>(app, text, values)).map(({ row }) => row);

/** Made from ids and a key, and given by the worker of e-mails whenever it comes to it. */
const OTHERWISE: ReadonlySet<string> = new Set(['request_digest', 'receipt_number']);

const isTime = (key: string) => key.endsWith('_at') || key === 'due_by' || key.endsWith('as_of');

const withoutTimes = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([key]) => !OTHERWISE.has(key))
      .map(([key, value]) => [key, isTime(key) ? value !== null : value] as const),
  );
