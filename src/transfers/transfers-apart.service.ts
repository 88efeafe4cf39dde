import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { newId, timeOfId } from '../common/crypto/ids.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { ConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { toJsonAmount } from '../common/money/money.js';
import { Database, type Transaction } from '../data/database.js';
import { type DonationDto, toDonation } from '../donations/dto/donation.dto.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import {
  claimKey,
  type IdempotencyKey,
  keptAnswer,
  readIdempotencyKey,
} from '../donations/recording/idempotency.js';
import { NO_DETAILS, NOT_AT_A_TERMINAL } from '../donations/recording/new-donation.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import {
  assertDonationId,
  assertSeen,
  donationById,
  lockDonation,
} from '../donations/store/donation-store.js';
import type { ReceiveTransfer } from './dto/received-transfer.dto.js';
import { assertWaits, TransferDays } from './waiting-transfers.js';

/**
 * Books a transfer with the reference of a pledge as a donation of its own. The pledge stays open. The donation, the entry in the
 * history of the pledge and the key of the request are written in one transaction.
 */
@Injectable()
export class TransfersApart {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly changes: DonationChanges,
    private readonly days: TransferDays,
    private readonly audit: Audit,
  ) {}

  /**
   * Returns the new donation; a repeat with the same key returns the same donation.
   * @throws ConflictError `TRANSFER_RECEIVED`, `TRANSFER_NOT_OPEN`, `TRANSFER_TOO_EARLY`, `PLEDGE_NOT_OPEN`, `TOTAL_OUT_OF_RANGE`;
   *   InvalidInputError `IDEMPOTENCY_KEY_REQUIRED`
   */
  async book(
    caller: Principal,
    id: string,
    sent: ReceiveTransfer,
    header: string | undefined,
  ): Promise<DonationDto> {
    assertDonationId(id);
    const key = readIdempotencyKey(header, `receive:${id.toLowerCase()}`, sent);
    if (!key)
      throw new InvalidInputError(
        'IDEMPOTENCY_KEY_REQUIRED',
        'A donation of its own needs an Idempotency-Key',
      );
    const written = await this.database.transaction((tx) => this.bookOne(tx, caller, id, sent, key));
    return toDonation(written ?? (await this.first(key)));
  }

  /** @returns undefined if the key was used before */
  private async bookOne(
    tx: Transaction,
    caller: Principal,
    id: string,
    { amount, receivedOn }: ReceiveTransfer,
    key: IdempotencyKey,
  ): Promise<DonationRow | undefined> {
    const pledge = await lockDonation(tx, id);
    assertSeen(caller, pledge);
    if (await keptAnswer(tx, key)) return undefined;
    await assertWaits(tx, pledge);
    if (pledge.type !== 'pledge')
      throw new ConflictError('PLEDGE_NOT_OPEN', 'Only the transfer of a pledge can be booked apart');
    const own = newId();
    await claimKey(tx, key, own);
    const actor = actorOf(caller);
    const { currency } = pledge;
    const paidAt = await this.days.of(pledge, receivedOn);
    const donation = this.changes.begin(
      tx,
      {
        ...NO_DETAILS,
        ...NOT_AT_A_TERMINAL,
        id: own,
        event_id: pledge.event_id,
        amount: BigInt(amount),
        currency,
        type: 'bank_transfer',
        donor_name: pledge.donor_name,
        donor_email: pledge.donor_email,
        is_anonymous: pledge.is_anonymous,
        is_amount_hidden: pledge.is_amount_hidden,
        message: null,
        message_state: 'visible',
        name_state: pledge.name_state,
        donor_key: pledge.donor_key,
        staff_id: null,
        staff_name: null,
        provider: null,
        payment_id: null,
        expected_amount: null,
        expected_currency: null,
        donor_address: pledge.donor_address,
        address: pledge.address,
        locale: pledge.locale,
        guest_id: pledge.guest_id,
        team_id: pledge.team_id,
        created_at: timeOfId(own),
        recorded_at: paidAt,
      },
      'received',
      { actor },
    );
    const cause = { kind: 'transfer_booked_apart', amount, currency, donationId: own } as const;
    this.changes.note(tx, pledge, { actor, cause });
    const announced = toJsonAmount(pledge.amount);
    await this.audit.record(actor, 'transfer.receive', own, { amount, announced, currency, receivedOn }, tx);
    return donation;
  }

  private async first(key: IdempotencyKey): Promise<DonationRow> {
    const kept = await keptAnswer(this.database, key);
    const donation = kept && (await donationById(this.database, kept.donation_id));
    if (!donation) throw new Error('A used key must name its donation');
    return donation;
  }
}
