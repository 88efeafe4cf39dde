// Checks at the end of the evening that no gift is lost or doubled, and that the totals equal a recount and the sums of the
// providers.

const SETTLED = `SELECT
    (SELECT count(*)::int FROM donation WHERE provider IS NOT NULL AND status = 'PENDING') AS pending,
    (SELECT count(*)::int FROM outbox WHERE sequence IS NULL) AS "unnumbered",
    (SELECT count(*)::int FROM event_feed WHERE published_sequence < last_sequence) AS "unpublished"`;
const BOOKS = `SELECT
    (SELECT coalesce(sum(total_raised), 0)::text FROM event_total) AS kept,
    (SELECT coalesce(sum(donor_count), 0)::text FROM event_total) AS donors,
    (SELECT coalesce(sum(amount - refunded_amount), 0)::text FROM donation WHERE status = 'COMPLETED') AS counted,
    (SELECT (count(DISTINCT donor_key) + count(*) FILTER (WHERE donor_key IS NULL))::text FROM donation
      WHERE status = 'COMPLETED') AS "donorsCounted",
    (SELECT coalesce(sum(amount - refunded_amount), 0)::int FROM donation
      WHERE status = 'COMPLETED' AND provider IS NOT NULL) AS online,
    (SELECT count(*)::int FROM donation WHERE status = 'COMPLETED') AS completed,
    (SELECT count(*)::int FROM outbox WHERE topic = 'donation.created') AS announced,
    (SELECT count(DISTINCT donation_id)::int FROM outbox WHERE topic = 'donation.created') AS "announcedOnce",
    (SELECT last_sequence::int FROM event_feed) AS sequence,
    (SELECT count(*)::int FROM review_item WHERE resolved_at IS NULL) AS "reviewItems"`;

/** Returns a description of the unfinished work; empty if all work is finished. */
export async function underWay({ sql }) {
  const [state] = await sql(SETTLED);
  const left = Object.entries(state).filter(([, count]) => count > 0);
  return left.map(([name, count]) => `${count} ${name}`).join(', ');
}

/**
 * @returns `{ problems, sequence, raised }`: the problems, and the position in the feed and the total that every wall must
 * show
 */
export async function audit({ sql, sandbox }, gifts) {
  const [books] = await sql(BOOKS);
  const problems = [];
  const must = (isTrue, text) => isTrue || problems.push(text);
  must(books.kept === books.counted, `totals say ${books.kept}, a recount ${books.counted}`);
  must(books.donors === books.donorsCounted, `${books.donors} donors kept, ${books.donorsCounted} counted`);
  must(
    books.announced === books.completed && books.announcedOnce === books.completed,
    `${books.completed} donations completed, ${books.announced} announced, ${books.announcedOnce} of them different`,
  );
  must(books.reviewItems === 0, `${books.reviewItems} review items are open`);

  const held = await Promise.all(
    ['stripe', 'paypal'].map((provider) => sandbox.ask('GET', `/sandbox/${provider}/net-held/eur`)),
  );
  const atProviders = held.reduce((sum, { amount }) => sum + amount, 0);
  must(books.online === atProviders, `${books.online} booked online, ${atProviders} at the providers`);

  const rows = await sql('SELECT id, donor_name AS "donorName", amount::int, status, type FROM donation');
  const byName = new Map(gifts.map(({ donorName }) => [donorName, []]));
  for (const row of rows) byName.get(row.donorName)?.push(row);
  for (const { kind, donorName, amount } of gifts) {
    const found = byName.get(donorName);
    const status = kind === 'pledge' ? 'PENDING' : 'COMPLETED';
    if (found.length !== 1) problems.push(`${donorName} (${kind}) is in the books ${found.length} times`);
    else if (found[0].amount !== amount || found[0].status !== status)
      problems.push(`${donorName} (${kind}) is ${found[0].status} with ${found[0].amount}, not ${amount}`);
  }
  must(rows.length === gifts.length, `${rows.length} donations of ${gifts.length} gifts`);
  return { problems, sequence: books.sequence, raised: Number(books.kept) };
}
