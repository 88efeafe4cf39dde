import { Injectable } from '@nestjs/common';
import type { Actor } from '../../common/access/principal.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { ConflictError, InvalidInputError, isServerError } from '../../common/errors/domain-errors.js';
import { Database, isForeignKeyViolation, type Transaction } from '../../data/database.js';
import { donorTokenOf } from '../../donations/donors/donor-token.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import {
  claimKey,
  type IdempotencyKey,
  keepAnswer,
  keptAnswer,
  openAnswer,
  sealAnswer,
} from '../../donations/recording/idempotency.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationById } from '../../donations/store/donation-store.js';
import { Mailer } from '../../mail/mailer.service.js';
import { declare } from '../../gift-aid/declarations.service.js';
import { eventNotFound, type EventRecord } from '../../events/event-record.js';
import { SettingsService } from '../../settings/settings.service.js';
import { printedReference } from '../../common/banking/transfer-reference.js';
import { referenceFor } from '../../transfers/transfer-details.js';
import { toTransferDetails } from '../../transfers/dto/transfer.dto.js';
import { TransferReferences } from '../../transfers/transfer-references.service.js';
import { joinCheckout } from '../booking/checkouts.js';
import type { Visitor } from './challenge.js';
import type { CreateIntentDto, TransferIntentDto } from './dto/intent.dto.js';
import { IntentBudget } from './intent-budget.js';
import { IntentRules } from './intent-rules.js';
import { teamChosen } from '../../teams/team-choice.js';
import { intendedDonation } from './intended-donation.js';

const DONOR: Actor = { kind: 'donor', id: null };
const NO_PROVIDER = { type: 'bank_transfer', name: null } as const;

/** Starts donations by bank transfer. The donation stays PENDING until an admin marks the money as received. */
@Injectable()
export class TransferIntents {
  constructor(
    private readonly database: Database,
    private readonly rules: IntentRules,
    private readonly budget: IntentBudget,
    private readonly changes: DonationChanges,
    private readonly keys: KeyRing,
    private readonly settings: SettingsService,
    private readonly references: TransferReferences,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Stores the donation with its reference, and returns the bank details. A repeat with the same key returns the same donation.
   * The transfer of a pledge pays the pledge itself, so it creates no donation.
   * @throws ConflictError `TRANSFER_NOT_OFFERED`, InvalidInputError `CURRENCY_NOT_SUPPORTED`, and the errors of all intents
   */
  async open(
    event: EventRecord,
    sent: CreateIntentDto,
    key: IdempotencyKey | undefined,
    visitor: Visitor,
  ): Promise<TransferIntentDto> {
    const kept = await this.kept(key);
    if (kept) return kept;
    const pledge = await this.rules.payable(event, sent);
    const wanted = { eventId: event.id, email: sent.metadata.donorEmail ?? null };
    const spent = await this.budget.spend(wanted, visitor);
    try {
      return pledge ? await this.ofPledge(pledge) : await this.begin(event, sent, key);
    } catch (error) {
      // After a conflict, another process may have handled the same key first.
      const isRepeat = key !== undefined && error instanceof ConflictError;
      if (isRepeat || isServerError(error)) await spent.takeBack();
      const answered = isRepeat ? await this.kept(key) : undefined;
      if (answered) return answered;
      throw error;
    }
  }

  private async begin(
    event: EventRecord,
    sent: CreateIntentDto,
    key: IdempotencyKey | undefined,
  ): Promise<TransferIntentDto> {
    const settings = await this.settings.effective(event.overrides);
    const { metadata, currency = event.currency } = sent;
    if (currency !== event.currency)
      throw new InvalidInputError(
        'CURRENCY_NOT_SUPPORTED',
        'A bank transfer is possible only in the currency of the event',
      );
    if (metadata.coveredFee)
      throw new InvalidInputError('COVERED_FEE_WRONG', 'A bank transfer has no fee that the donor can cover');
    const account = this.references.accountFor(settings, currency, BigInt(sent.amount));
    const accepted = await this.rules.accept({ assertTakes: () => undefined }, event, sent, undefined);
    const teamId = await teamChosen(this.database, event.id, metadata.team);
    const intended = intendedDonation(
      this.keys,
      { event, metadata, pledge: undefined, accepted, teamId },
      NO_PROVIDER,
    );
    const number = await this.references.nextNumber(this.database);
    // The list and the files show the reference in this column. Bookings use the row of the transfer.
    const given = { ...intended, reference: printedReference(referenceFor(account, number)) };
    const work = async (tx: Transaction): Promise<DonationRow> => {
      if (key && !(await claimKey(tx, key, given.id)))
        throw new ConflictError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is under way');
      const donation = this.changes.begin(tx, given, 'opened', { actor: DONOR });
      if (accepted.declaration) await declare(tx, donation, accepted.declaration);
      await this.references.open(tx, given.id, number, settings.transfer.days);
      if (metadata.checkoutId !== undefined) await joinCheckout(tx, given.id, event.id, metadata.checkoutId);
      if (given.donor_email !== null) this.mailer.enqueueTransferDetails(tx, given.id);
      if (key) await keepAnswer(tx, key, sealAnswer(this.keys, { donationId: given.id }));
      return donation;
    };
    try {
      return await this.answer(await this.database.transaction(work));
    } catch (error) {
      // The event was deleted between the look-up and the insert.
      if (isForeignKeyViolation(error, 'donation_event_id_fkey')) throw eventNotFound();
      throw error;
    }
  }

  private async ofPledge(pledge: DonationRow): Promise<TransferIntentDto> {
    const event = await this.rules.namedEvent(pledge.event_id);
    const settings = await this.settings.effective(event.overrides);
    this.references.accountFor(settings, pledge.currency, pledge.amount);
    await this.references.forPledge(pledge);
    return await this.answer(pledge);
  }

  private async kept(key: IdempotencyKey | undefined): Promise<TransferIntentDto | undefined> {
    const kept = key && (await keptAnswer(this.database, key));
    if (!kept?.answer) return undefined;
    const { donationId } = openAnswer(this.keys, kept.answer) as { donationId: string };
    const donation = await donationById(this.database, donationId);
    return donation && (await this.answer(donation));
  }

  /** Reads the details again, so that a repeat shows the same account as the page. */
  private async answer(donation: DonationRow): Promise<TransferIntentDto> {
    const { id } = donation;
    const own = await this.references.of(donation);
    if (!own) throw new ConflictError('TRANSFER_NOT_OFFERED', 'The event offers no bank transfer any more');
    return { transfer: toTransferDetails(own), donationId: id, donorToken: donorTokenOf(this.keys, id) };
  }
}
