import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../common/access/principal.js';
import { Database } from '../data/database.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import { SettingsService } from '../settings/settings.service.js';
import { receiptNumber, yearIn } from './receipt-content.js';
import type { IssuedReceipt } from './receipt-row.js';
import { ISSUE, LOCK_COUNTER, LOCK_DONATIONS, VOID_OUTDATED } from './receipts.sql.js';

/**
 * Issues receipt numbers. The numbers of each year are consecutive and without gaps. The organization's time zone decides the
 * year.
 */
@Injectable()
export class ReceiptNumbers {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly changes: DonationChanges,
  ) {}

  /**
   * Returns the valid receipts of the COMPLETED donations among these. Missing receipts are issued in the order of the donation
   * ids. If the donor was corrected, the old receipt becomes void, and a new receipt with a new number replaces it. If two
   * calls for one donation run at the same time, one call issues the receipt and the other call gets a copy.
   */
  async issue(donationIds: readonly string[]): Promise<Map<string, IssuedReceipt>> {
    if (donationIds.length === 0) return new Map();
    const { timezone } = await this.settings.global();
    const year = yearIn(timezone, new Date());
    const receipts = await this.database.transaction(async (tx) => {
      const locked = await tx.query<{ id: string }>(LOCK_DONATIONS, [[...donationIds]]);
      const completed = locked.map(({ id }) => id);
      const replaced = await tx.query<{ donation_id: string; number: string }>(VOID_OUTDATED, [completed]);
      const [counter] = await tx.query<{ last_number: number }>(LOCK_COUNTER, [year]);
      const receipts = await tx.query<IssuedReceipt>(ISSUE, [
        year,
        counter?.last_number ?? 0,
        completed,
        replaced.map(({ donation_id }) => donation_id),
        replaced.map(({ number }) => number),
      ]);
      const fresh = receipts.filter(({ copy }) => !copy);
      const numbers = new Map(fresh.map((one) => [one.donation_id, receiptNumber(one.year, one.number)]));
      await this.changes.setReceiptNumbers(tx, numbers);
      for (const { donation_id: id, number } of replaced)
        this.changes.note(
          tx,
          { id, status: 'COMPLETED' },
          {
            actor: SYSTEM,
            cause: { kind: 'receipt_replaced', number, replacedBy: numbers.get(id) },
          },
        );
      return receipts;
    });
    return new Map(receipts.map((receipt) => [receipt.donation_id, receipt]));
  }
}
