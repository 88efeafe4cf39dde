import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { SYSTEM } from '../../common/access/principal.js';
import { Database } from '../../data/database.js';
import { DonationChanges } from '../lifecycle/donation-changes.js';
import { NO_TRIBUTE } from '../tributes/tribute.js';
import { lockDonation } from '../store/donation-store.js';
import { DELETE_UNPAID_DECLARATION, UNPAID_TO_ERASE } from './unpaid-donors.sql.js';

const BATCH = 500;

/** Erases the donor data of unpaid donations after the number of days in `privacy.retainUnpaidDays`. */
@Injectable()
export class UnpaidDonors {
  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
  ) {}

  /**
   * Erases the donor data of one donation after another. If two instances run this at the same time, only one of them erases
   * each donation.
   */
  @Cron('23 * * * *')
  async erase(): Promise<number> {
    const found = await this.database.query<{ id: string }>(UNPAID_TO_ERASE, [BATCH]);
    let erased = 0;
    for (const { id } of found) if (await this.eraseOne(id)) erased++;
    return erased;
  }

  private async eraseOne(id: string): Promise<boolean> {
    return await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, id);
      // The donation was paid after the search, so its donor data is kept.
      if (donation?.paid_at !== null || donation.completed_at !== null) return false;
      const after = this.changes.apply(tx, donation, {
        fact: { kind: 'edited' },
        columns: {
          donor_name: null,
          donor_email: null,
          message: null,
          donor_key: null,
          donor_address: null,
          address: null,
          ...NO_TRIBUTE,
          gift_aid: null,
          reference: null,
          note: null,
          is_anonymous: true,
        },
        actor: SYSTEM,
        cause: { kind: 'unpaid_donor_erased' },
      });
      if (after) await tx.query(DELETE_UNPAID_DECLARATION, [id]);
      return after !== undefined;
    });
  }
}
