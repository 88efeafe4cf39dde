import { Injectable } from '@nestjs/common';
import { Database, type SqlExecutor } from '../../data/database.js';
import { assertDonationId, noSuchDonation } from '../store/donation-store.js';
import { HISTORY_OF } from '../store/donations.sql.js';
import { type HistoryEntryDto, type HistoryRow, toHistoryEntry } from '../dto/history.dto.js';

/** Reads the history of a donation. */
@Injectable()
export class DonationHistoryService {
  constructor(private readonly database: Database) {}

  /** Returns every transition and correction of a donation, oldest first. */
  async list(donationId: string, db: SqlExecutor = this.database): Promise<HistoryEntryDto[]> {
    assertDonationId(donationId);
    const entries = await db.query<HistoryRow>(HISTORY_OF, [donationId]);
    // Every donation has at least one entry. Without an entry, the donation does not exist.
    if (entries.length === 0) throw noSuchDonation();
    return entries.map(toHistoryEntry);
  }
}
