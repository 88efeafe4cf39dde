import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/ids.js';
import { Database, type Statement } from '../data/database.js';
import { assertDonationId, noSuchDonation } from './donation-access.js';
import { donationById } from './donations.sql.js';
import {
  type AttentionDto,
  type AttentionRow,
  type HistoryEntryDto,
  type HistoryRow,
  toAttention,
  toHistoryEntry,
} from './dto/attention.dto.js';

const OPEN: Statement = {
  name: 'attention_open',
  text: 'SELECT * FROM attention_item WHERE resolved_at IS NULL ORDER BY id DESC LIMIT 500',
};

const RESOLVE: Statement = {
  name: 'attention_resolve',
  text: `UPDATE attention_item SET resolved_at = coalesce(resolved_at, now()), resolved_by = coalesce(resolved_by, $2)
    WHERE id = $1 RETURNING *`,
};

const HISTORY: Statement = {
  name: 'donation_history_list',
  text: 'SELECT * FROM donation_history WHERE donation_id = $1 ORDER BY id',
};

/** What a person must look at, and how a donation came to be as it is. */
@Injectable()
export class AttentionService {
  constructor(private readonly database: Database) {}

  /** Unresolved items, newest first, at most 500. */
  async open(): Promise<AttentionDto[]> {
    return (await this.database.query<AttentionRow>(OPEN)).map(toAttention);
  }

  async resolve(caller: Principal, id: string): Promise<AttentionDto> {
    const [row] = isId(id) ? await this.database.query<AttentionRow>(RESOLVE, [id, caller.id]) : [];
    if (!row) throw new NotFoundError('ATTENTION_ITEM_NOT_FOUND', 'No such item');
    return toAttention(row);
  }

  async history(donationId: string): Promise<HistoryEntryDto[]> {
    assertDonationId(donationId);
    const rows = await this.database.query<HistoryRow>(HISTORY, [donationId]);
    if (rows.length === 0 && !(await donationById(this.database, donationId))) throw noSuchDonation();
    return rows.map(toHistoryEntry);
  }
}
