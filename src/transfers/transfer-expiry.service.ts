import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { SYSTEM } from '../common/access/principal.js';
import { Database } from '../data/database.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import { lockDonation } from '../donations/store/donation-store.js';
import { OVERDUE } from './transfers.sql.js';

const BATCH = 500;

/** Cancels transfers that were not received in `transfer.days`. Money that arrives later is still booked. */
@Injectable()
export class TransferExpiry {
  private readonly logger = new Logger(TransferExpiry.name);

  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
  ) {}

  /** Returns the number of cancelled transfers. If two instances run this at the same time, only one cancels each of them. */
  @Cron('7 * * * *')
  async cancelOverdue(): Promise<number> {
    let cancelled = 0;
    for (let before = -1; cancelled > before;) {
      before = cancelled;
      const found = await this.database.query<{ id: string }>(OVERDUE, [BATCH]);
      for (const { id } of found) if (await this.cancelOne(id)) cancelled++;
    }
    if (cancelled > 0) this.logger.log({ msg: 'Overdue bank transfers cancelled', cancelled });
    return cancelled;
  }

  private async cancelOne(id: string): Promise<boolean> {
    return await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, id);
      // The transfer was marked as received after the search.
      if (donation?.status !== 'PENDING') return false;
      const change = {
        fact: { kind: 'cancelled' },
        actor: SYSTEM,
        cause: { kind: 'transfer_expired' },
      } as const;
      return this.changes.apply(tx, donation, change) !== undefined;
    });
  }
}
