import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { SettingsService } from '../../settings/settings.service.js';
import { yearIn } from './receipt-content.js';
import type { IssuedReceipt } from './receipt-row.js';
import { ISSUE, LOCK_COUNTER, LOCK_DONATIONS, MAKE_COUNTER } from './receipts.sql.js';

/** Hands out receipt numbers: sequential and without gaps in each year of the organization's time zone. */
@Injectable()
export class ReceiptNumbers {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
  ) {}

  /**
   * The receipt numbers of those of the donations that are COMPLETED; the ones that have none yet get theirs,
   * in the order of their ids. Of two calls at once for one donation, one issues and the other finds a copy.
   */
  async issue(donationIds: readonly string[]): Promise<Map<string, IssuedReceipt>> {
    if (donationIds.length === 0) return new Map();
    const { timezone } = await this.settings.global();
    const year = yearIn(timezone, new Date());
    const issued = await this.database.transaction(async (tx) => {
      const completed = await tx.query<{ id: string }>(LOCK_DONATIONS, [[...donationIds]]);
      await tx.query(MAKE_COUNTER, [year]);
      const [counter] = await tx.query<{ last_number: number }>(LOCK_COUNTER, [year]);
      return await tx.query<IssuedReceipt>(ISSUE, [
        year,
        counter?.last_number ?? 0,
        completed.map(({ id }) => id),
      ]);
    });
    return new Map(issued.map((receipt) => [receipt.donation_id, receipt]));
  }
}
