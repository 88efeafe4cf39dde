import { Injectable } from '@nestjs/common';
import { ConflictError, RefusedFieldsError } from '../common/errors/domain-errors.js';
import { localDay } from '../common/text/local-time.js';
import type { SqlExecutor } from '../data/database.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { ReferenceState } from './dto/received-transfer.dto.js';
import { TRANSFER_OF } from './transfers.sql.js';

/** Says whether the money of a donation with a reference can be booked. */
export function moneyState({
  status,
  completed_at: completed,
  paid_by: paidBy,
}: DonationRow): Extract<ReferenceState, 'open' | 'cancelled' | 'received' | 'closed'> {
  if (status === 'PENDING') return 'open';
  if (status === 'COMPLETED' || status === 'REFUNDED') return 'received';
  return completed === null && paidBy === null ? 'cancelled' : 'closed';
}

const isOpenPledge = ({ type, status }: DonationRow): boolean => type === 'pledge' && status === 'PENDING';

/** @throws ConflictError `TRANSFER_RECEIVED`; `TRANSFER_NOT_OPEN` if the donation has no reference or can no longer be paid */
export async function assertWaits(db: SqlExecutor, donation: DonationRow): Promise<void> {
  // The money of a pledge can be booked without a reference too, because some donors forget it.
  const isWaiting = isOpenPledge(donation) || (await db.query(TRANSFER_OF, [donation.id])).length > 0;
  const state = isWaiting ? moneyState(donation) : 'closed';
  if (state === 'received') throw new ConflictError('TRANSFER_RECEIVED', 'The transfer was already received');
  if (state === 'closed')
    throw new ConflictError('TRANSFER_NOT_OPEN', 'The donation waits for no bank transfer');
}

/** The day on which the money of a transfer arrived. */
@Injectable()
export class TransferDays {
  constructor(
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
  ) {}

  /**
   * Returns noon of a day in the time zone of the event, so that the receipt shows this day.
   * @throws RefusedFieldsError if the day is in the future; ConflictError `TRANSFER_TOO_EARLY` if it is before the donation
   */
  async of(donation: Pick<DonationRow, 'event_id' | 'created_at'>, day: string): Promise<Date> {
    const { overrides } = await this.events.get(donation.event_id);
    const { timezone } = await this.settings.effective(overrides);
    if (day > localDay(new Date(), timezone))
      throw new RefusedFieldsError([
        { field: 'receivedOn', rule: 'date', message: 'receivedOn must not be in the future' },
      ]);
    if (day < localDay(donation.created_at, timezone))
      throw new ConflictError('TRANSFER_TOO_EARLY', 'The day is before the day of the donation');
    const noon = new Date(`${day}T12:00:00Z`);
    return localDay(noon, timezone) === day ? noon : new Date(`${day}T00:00:00Z`);
  }
}
