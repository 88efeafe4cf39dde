import { Injectable } from '@nestjs/common';
import { isTransferAmount } from '../common/banking/payment-text.js';
import { ConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { Database, type SqlExecutor } from '../data/database.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { EventLookup } from '../events/event-lookup.service.js';
import type { EventRecord } from '../events/event-record.js';
import type { Settings } from '../settings/settings.js';
import { SettingsService } from '../settings/settings.service.js';
import { isAccount, transferAccount, type TransferAccount } from './transfer-account.js';
import { type TransferDetails, transferDetails } from './transfer-details.js';
import { NEXT_NUMBER, OPEN_TRANSFER, TRANSFER_OF, type TransferRow } from './transfers.sql.js';

/** The details of an unpaid donation's transfer. */
export interface OwnTransfer extends TransferDetails {
  /** End of the time to pay; null for a pledge. */
  readonly expiresAt: Date | null;
}

type Paid = Pick<DonationRow, 'id' | 'event_id' | 'amount' | 'currency' | 'type' | 'status'>;

/** Gives donations and pledges their references, and returns the details of their transfers. */
@Injectable()
export class TransferReferences {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
  ) {}

  /**
   * Returns the account of an event, if the event offers a transfer of this amount.
   * @throws ConflictError `TRANSFER_NOT_OFFERED`; InvalidInputError `CURRENCY_NOT_SUPPORTED`, `AMOUNT_NOT_PAYABLE`
   */
  accountFor(settings: Settings, currency: string, amount: bigint): TransferAccount {
    const found = transferAccount(settings, currency);
    if (found === 'currency')
      throw new InvalidInputError(
        'CURRENCY_NOT_SUPPORTED',
        'A bank transfer is not possible in this currency',
      );
    if (!isAccount(found))
      throw new ConflictError('TRANSFER_NOT_OFFERED', `The event offers no bank transfer: ${found}`);
    if (!isTransferAmount(amount))
      throw new InvalidInputError('AMOUNT_NOT_PAYABLE', 'A bank transfer of this amount is not possible');
    return found;
  }

  /** Returns a new number for a reference. */
  async nextNumber(db: SqlExecutor): Promise<bigint> {
    const [row] = await db.query<{ number: bigint }>(NEXT_NUMBER);
    if (!row) throw new Error('A statement without FROM must return one row');
    return row.number;
  }

  /**
   * Stores the number of a donation's reference. A donation that has one keeps it.
   * @param days days to pay, or null without an end
   */
  async open(tx: SqlExecutor, donationId: string, number: bigint, days: number | null): Promise<void> {
    await tx.query(OPEN_TRANSFER, [donationId, number, days]);
  }

  /**
   * Returns the details to pay an open pledge by bank transfer, for its page, letters and e-mails. The first call gives the
   * pledge its reference. Undefined if the pledge is not open or its event offers no transfer of this amount.
   */
  async forPledge(pledge: Paid): Promise<OwnTransfer | undefined> {
    if (pledge.type !== 'pledge' || pledge.status !== 'PENDING') return undefined;
    const event = await this.events.get(pledge.event_id);
    const account = await this.offered(event, pledge);
    if (!account) return undefined;
    const known = await this.read(pledge, event, account);
    if (known) return known;
    await this.open(this.database, pledge.id, await this.nextNumber(this.database), null);
    return await this.read(pledge, event, account);
  }

  /** Like `of`, but only for a donation that is not paid. */
  async unpaid(donation: Paid & Pick<DonationRow, 'completed_at'>): Promise<OwnTransfer | undefined> {
    const { type, status, completed_at: completedAt } = donation;
    const isUnpaid = (status === 'PENDING' || status === 'CANCELLED') && completedAt === null;
    return isUnpaid && (type === 'bank_transfer' || type === 'pledge') ? await this.of(donation) : undefined;
  }

  /**
   * Returns the details of a donation that has a reference; undefined if it has none, or if the event offers no transfer any
   * more. The account is always the one in the present settings.
   */
  async of(donation: Paid): Promise<OwnTransfer | undefined> {
    const event = await this.events.get(donation.event_id);
    const account = await this.offered(event, donation);
    return account && (await this.read(donation, event, account));
  }

  private async offered(
    { overrides }: EventRecord,
    { currency, amount }: Pick<Paid, 'currency' | 'amount'>,
  ): Promise<TransferAccount | undefined> {
    const account = transferAccount(await this.settings.effective(overrides), currency);
    return isAccount(account) && isTransferAmount(amount) ? account : undefined;
  }

  private async read(
    { id, amount }: Paid,
    { name: eventName }: EventRecord,
    account: TransferAccount,
  ): Promise<OwnTransfer | undefined> {
    const [row] = await this.database.query<TransferRow>(TRANSFER_OF, [id]);
    if (!row) return undefined;
    const { number, expires_at: expiresAt } = row;
    return { ...transferDetails(account, { number, amount, eventName }), expiresAt };
  }
}
