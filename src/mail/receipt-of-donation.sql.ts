/**
 * The receipts of online donations, once for each and only where the event's settings want it: an INSERT, for statements
 * of its own and larger ones.
 * @param id the SQL expression of the e-mail's id
 * @param donations the expression that gives `id` and `event_id` of the donations
 */
export const enqueueReceipts = (
  id: string,
  donations: string,
): string => `INSERT INTO email (id, kind, subject, donation_id)
    SELECT ${id}, 'receipt', d.id::text, d.id
    FROM ${donations} d JOIN event e ON e.id = d.event_id LEFT JOIN global_settings g ON true
    WHERE coalesce(e.overrides #>> '{receipts,email}', g.value #>> '{receipts,email}', 'true') <> 'false'
    ON CONFLICT (kind, subject) DO NOTHING`;
