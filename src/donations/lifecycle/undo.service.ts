import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, scopeOf, type Principal } from '../../common/access/principal.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { Database, type Transaction } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import {
  assertDonationId,
  assertSeen,
  donationById,
  isOnline,
  lockDonation,
} from '../store/donation-store.js';
import { DonationChanges } from './donation-changes.js';
import { seenBy } from '../store/guest-email.js';
import type { DonationRow } from '../store/donation-columns.js';
import { UNDONE } from '../list/donation-filters.js';
import { COUNTED_IN_SHIFT, HISTORY_OF } from '../store/donations.sql.js';
import { type DonationDto, toDonation } from '../dto/donation.dto.js';
import type { HistoryRow } from '../dto/history.dto.js';

const MINUTE_MS = 60_000;

/** Undoes records made by mistake. An undo changes the state and adds a history entry. It never deletes the record. */
@Injectable()
export class UndoService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
  ) {}

  /**
   * Undoes an offline record. A second undo changes nothing. Staff can undo their own records for `donation.undoMinutes` after
   * arrival, but not after a receipt was issued or the drawer was counted. Admins can undo any record.
   * @throws ConflictError `UNDO_ONLINE`, `UNDO_TOO_LATE`, `UNDO_SETTLED`
   */
  async undo(caller: Principal, id: string): Promise<DonationDto> {
    assertDonationId(id);
    const found = await donationById(this.database, id);
    assertSeen(caller, found);
    const event = await this.events.get(found.event_id);
    const { undoMinutes } = (await this.settings.effective(event.overrides)).donation;
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      assertSeen(caller, before);
      if (isOnline(before))
        throw new ConflictError('UNDO_ONLINE', 'An online donation cannot be undone; cancel or refund it');
      if (await wasUndone(tx, before)) return toDonation(seenBy(caller, before));
      refuseSettled(before);
      if (scopeOf(caller).kind === 'own-event') await refuseStaff(tx, before, undoMinutes);
      const actor = actorOf(caller);
      const after = this.changes.apply(tx, before, {
        fact: { kind: 'undone' },
        actor,
        cause: { kind: 'undone' },
      });
      if (!after) throw settled(`It is ${before.status}`);
      await this.audit.record(actor, 'donation.undo', id, { receiptNumber: before.receipt_number }, tx);
      return toDonation(seenBy(caller, after));
    });
  }
}

async function wasUndone(tx: Transaction, { id, status }: DonationRow): Promise<boolean> {
  if (status !== 'CANCELLED') return false;
  const history = await tx.query<HistoryRow>(HISTORY_OF, [id]);
  return history.some(({ to_status, reason }) => to_status === 'CANCELLED' && reason === UNDONE);
}

/** Refuses to undo a refunded record or a paid pledge, because such a record is not a typing mistake. */
function refuseSettled(donation: DonationRow): void {
  if (donation.refunded_amount > 0n) throw settled('Part of it was refunded');
  if (donation.completed_at !== null && donation.completed_at > donation.created_at)
    throw settled('It is a paid pledge');
}

async function refuseStaff(tx: Transaction, donation: DonationRow, minutes: number): Promise<void> {
  // The time limit starts when the record arrives. So staff can still undo a record that waited offline for hours.
  if (Date.now() > donation.created_at.getTime() + minutes * MINUTE_MS)
    throw new ConflictError('UNDO_TOO_LATE', `A record can be undone for ${minutes} minutes; ask an admin`);
  if (donation.receipt_number !== null) throw settled('Its receipt was issued');
  if (donation.shift_id !== null && (await isCounted(tx, donation)))
    throw settled('It is part of a counted shift');
}

async function isCounted(tx: Transaction, { id, shift_id }: DonationRow): Promise<boolean> {
  return (await tx.query(COUNTED_IN_SHIFT, [shift_id, id])).length > 0;
}

const settled = (why: string) => new ConflictError('UNDO_SETTLED', `${why}; an admin can correct it`);
