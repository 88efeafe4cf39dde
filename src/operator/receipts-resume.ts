import type pg from 'pg';
import { receiptNumber } from '../receipts/receipt-content.js';
import { LAST_NUMBER, RESUME_AFTER } from '../receipts/receipts.sql.js';
import { recordCommand, withClient } from './with-client.js';

/** Maximum increase of a counter without `far`, because a typing error would create a permanent gap in the receipt numbers. */
const FARTHEST = 10_000;
const LARGEST = 2_147_483_647;

/** A receipt number as printed on a receipt, such as `2026-001234`. */
export interface KnownReceipt {
  readonly year: number;
  readonly number: number;
}

export interface Resumed {
  readonly year: number;
  /** The last number in the books; 0 if none. */
  readonly last: number;
  /** True if the counter was increased. A counter is never decreased. */
  readonly moved: boolean;
  /** The next receipt number of the year. */
  readonly next: string;
}

/** @throws RangeError if the text is not a receipt number */
export function readReceiptNumber(text: string): KnownReceipt {
  const [, year, number] = /^(\d{4})-(\d{1,10})$/.exec(text.trim()) ?? [];
  const known = { year: Number(year), number: Number(number) };
  const now = new Date().getUTCFullYear();
  // In time zones ahead of UTC, the next year may have already begun.
  if (
    year === undefined ||
    known.year < 2000 ||
    known.year > now + 1 ||
    known.number < 1 ||
    known.number > LARGEST
  )
    throw new RangeError(`"${text}" is not a receipt number such as ${receiptNumber(now, 1234)}`);
  return known;
}

/**
 * Increases the receipt counters after a restore, because the books lack the numbers issued since the backup.
 * Changes the counters of all given years, or none.
 * @param known the highest receipt number of each year that a donor has received
 * @param far true to accept numbers that are very far ahead of the books
 * @throws RangeError
 */
export async function resumeReceipts(
  databaseUrl: string,
  known: readonly KnownReceipt[],
  far = false,
): Promise<Resumed[]> {
  return withClient(databaseUrl, 'donations-receipts-resume', async (client) => {
    await client.query('BEGIN');
    const resumed: Resumed[] = [];
    for (const receipt of [...known].sort((a, b) => a.year - b.year || a.number - b.number))
      resumed.push(await resume(client, receipt, far));
    await client.query('COMMIT');
    return resumed;
  });
}

async function resume(client: pg.Client, { year, number }: KnownReceipt, far: boolean): Promise<Resumed> {
  const { rows: before } = await client.query<{ last_number: number }>(LAST_NUMBER.text, [year]);
  const last = before[0]?.last_number ?? 0;
  if (!far && number - last > FARTHEST)
    throw new RangeError(
      `${receiptNumber(year, number)} is ${number - last} numbers ahead of the books, which were at ${receiptNumber(year, last)}: ` +
        'a gap in the numbers cannot be closed later. Add --far if this is correct. No counter was changed.',
    );
  const { rows } = await client.query<{ last_number: number }>(RESUME_AFTER.text, [year, number]);
  const now = rows[0]?.last_number ?? number;
  const moved = now !== last;
  if (moved) await recordCommand(client, 'receipts.resume', String(year), { before: last, after: now });
  return { year, last, moved, next: receiptNumber(year, now + 1) };
}
