import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import {
  findReferences,
  type FoundReference,
  printedReference,
} from '../common/banking/transfer-reference.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError, DomainError, RefusedFieldsError } from '../common/errors/domain-errors.js';
import { toJsonAmount } from '../common/money/money.js';
import { Database, type Transaction } from '../data/database.js';
import { type DonationDto, toDonation } from '../donations/dto/donation.dto.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { assertDonationId, assertSeen, lockDonation } from '../donations/store/donation-store.js';
import { raiseReviewItem } from '../review/review-items.js';
import {
  type FoundReferencesDto,
  MOST_TRANSFERS,
  type NotReceivedDto,
  type ReceivedTransfersDto,
  type ReceiveTransfer,
  type ReferenceState,
} from './dto/received-transfer.dto.js';
import { assertWaits, moneyState, TransferDays } from './waiting-transfers.js';
import { DONATIONS_OF_NUMBERS, PAID_IN_CHECKOUT } from './transfers.sql.js';

type DonationOfNumber = DonationRow & { readonly number: bigint; readonly event_name: string };

/** The received money of one transfer. */
interface Received {
  /** Minor units; undefined for the amount of the donation. */
  readonly amount: bigint | undefined;
  readonly mayDiffer: boolean;
  readonly receivedOn: string;
}

/** Marks bank transfers as received, one by one or from the references in a pasted text. */
@Injectable()
export class ReceivedTransfers {
  constructor(
    private readonly database: Database,
    private readonly days: TransferDays,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
  ) {}

  /** Finds the references in a text and returns the donation of each, with its state. Changes nothing. */
  async search(text: string): Promise<FoundReferencesDto> {
    const all = findReferences(text);
    const found = all.slice(0, MOST_TRANSFERS);
    const numbers = found.flatMap((one) => (one.kind === 'own' ? [one.number] : []));
    const rows = await this.database.query<DonationOfNumber>(DONATIONS_OF_NUMBERS, [numbers]);
    const byNumber = new Map(rows.map((row) => [row.number, row]));
    return {
      found: found.map((one) => {
        const row = one.kind === 'own' ? byNumber.get(one.number) : undefined;
        return {
          reference: printedReference(one.text),
          state: stateOf(one, row),
          donation: row ? toDonation(row) : null,
          eventName: row?.event_name ?? null,
        };
      }),
      leftOut: all.length - found.length,
    };
  }

  /**
   * Marks a transfer as received. The donation or pledge gets the received amount; a pledge keeps the pledged amount in
   * `pledged_amount` and in its history.
   * @throws ConflictError `TRANSFER_RECEIVED`, `TRANSFER_NOT_OPEN`, `TRANSFER_AMOUNT_DIFFERS`, `TRANSFER_TOO_EARLY`
   */
  async receive(caller: Principal, id: string, sent: ReceiveTransfer): Promise<DonationDto> {
    assertDonationId(id);
    const { amount, amountDiffers: mayDiffer = false, receivedOn } = sent;
    const received = { amount: BigInt(amount), mayDiffer, receivedOn };
    const after = await this.database.transaction((tx) => this.receiveOne(tx, caller, id, received));
    return toDonation(after);
  }

  /** Marks several transfers as received in full, each in its own transaction. Lists the others with the reason. */
  async receiveAll(
    caller: Principal,
    ids: readonly string[],
    receivedOn: string,
  ): Promise<ReceivedTransfersDto> {
    const skipped: NotReceivedDto[] = [];
    let received = 0;
    const money = { amount: undefined, mayDiffer: false, receivedOn };
    for (const id of new Set(ids.map((one) => one.toLowerCase())))
      try {
        await this.database.transaction((tx) => this.receiveOne(tx, caller, id, money));
        received++;
      } catch (error) {
        // The day is wrong for all transfers.
        if (!(error instanceof DomainError) || error instanceof RefusedFieldsError) throw error;
        skipped.push({ donationId: id, code: error.code, message: error.message });
      }
    return { received, skipped };
  }

  private async receiveOne(
    tx: Transaction,
    caller: Principal,
    id: string,
    { amount: sent, mayDiffer, receivedOn }: Received,
  ): Promise<DonationRow> {
    const before = await lockDonation(tx, id);
    assertSeen(caller, before);
    await assertWaits(tx, before);
    const amount = sent ?? before.amount;
    if (amount !== before.amount && !mayDiffer)
      throw new ConflictError(
        'TRANSFER_AMOUNT_DIFFERS',
        'The received amount differs from the donation; send amountDiffers: true to book it',
      );
    const actor = actorOf(caller);
    const { currency } = before;
    const differs = before.type === 'pledge' && amount !== before.amount;
    const after = this.changes.apply(tx, before, {
      fact: { kind: 'paid', amount, returned: 0n },
      columns: {
        type: 'bank_transfer',
        paid_at: await this.days.of(before, receivedOn),
        ...(differs && { pledged_amount: before.amount }),
      },
      actor,
      cause: {
        kind: differs ? 'pledge_transfer_received' : 'transfer_received',
        amount: toJsonAmount(amount),
        currency,
        ...(differs && { pledged: toJsonAmount(before.amount) }),
      },
    });
    if (!after) throw new ConflictError('TRANSFER_NOT_OPEN', 'The donation was removed from the books');
    await this.reportPaidTwice(tx, before);
    const announced = amount === before.amount ? undefined : toJsonAmount(before.amount);
    const detail = { amount: toJsonAmount(amount), announced, currency, receivedOn };
    await this.audit.record(actor, 'transfer.receive', id, detail, tx);
    return after;
  }

  /** A donor can choose the transfer and then pay by card. If both were paid, a review item is opened. */
  private async reportPaidTwice(tx: Transaction, { id }: DonationRow): Promise<void> {
    const others = await tx.query<{ id: string }>(PAID_IN_CHECKOUT, [id]);
    const [first] = others;
    if (!first) return;
    await raiseReviewItem(tx, {
      kind: 'paid_twice',
      subject: `transfer:${id}`,
      donationId: id,
      detail: { payments: others.length + 1, otherDonation: first.id },
    });
  }
}

function stateOf(found: FoundReference, row: DonationOfNumber | undefined): ReferenceState {
  if (found.kind !== 'own') return found.kind;
  return row ? moneyState(row) : 'unknown';
}
