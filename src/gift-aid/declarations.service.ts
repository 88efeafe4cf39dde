import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { type Actor, actorOf, type Principal } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import { ConflictError, NotFoundError, RefusedFieldsError } from '../common/errors/domain-errors.js';
import type { PostalAddress } from '../common/text/postal-address.js';
import { readAddress } from '../common/validation/address.dto.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { Database, type Transaction } from '../data/database.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import {
  assertDonationId,
  donationById,
  lockDonation,
  noSuchDonation,
} from '../donations/store/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { visibleTo } from '../events/event-record.js';
import { SettingsService } from '../settings/settings.service.js';
import { type DeclarationText, declarationText } from './declaration-texts.js';
import {
  type CancelDeclarationDto,
  type DeclarationDto,
  type DeclarationOfDonationDto,
  type GiftAidTextDto,
  toDeclaration,
  toText,
  type WrittenDeclarationDto,
} from './dto/gift-aid.dto.js';
import {
  CANCEL,
  DECLARE,
  type DeclarationRow,
  KEEP_TEXT,
  LOCK_DECLARATION,
  OF_DONATION,
  OF_DONOR,
} from './gift-aid.sql.js';

/** A declaration that a donor made. */
export interface MadeDeclaration {
  readonly text: DeclarationText;
  readonly channel: DeclarationRow['channel'];
  readonly language: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly address: PostalAddress;
  readonly declaredAt: Date;
}

/**
 * Stores the declaration of a donation with the exact text.
 * @returns its id; undefined if the donation has a declaration
 */
export async function declare(
  tx: Transaction,
  { id, donor_key }: Pick<DonationRow, 'id' | 'donor_key'>,
  made: MadeDeclaration,
): Promise<string | undefined> {
  const { text, channel, language, firstName, lastName, address, declaredAt } = made;
  await tx.query(KEEP_TEXT, [text.digest, text.version, text.scope, text.text]);
  const [declared] = await tx.query<{ id: string }>(DECLARE, [
    newId(),
    id,
    donor_key,
    text.digest,
    text.scope,
    channel,
    language,
    firstName,
    lastName,
    address,
    declaredAt,
  ]);
  return declared?.id;
}

/** Gift Aid declarations of donations: read, entered from paper, cancelled. */
@Injectable()
export class GiftAidDeclarations {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
  ) {}

  /**
   * The text that a donor of an event must read.
   * @throws NotFoundError `EVENT_NOT_FOUND`, ConflictError `GIFT_AID_OFF`
   */
  async text(caller: Principal | undefined, eventRef: string): Promise<GiftAidTextDto> {
    const event = visibleTo(caller, await this.events.get(eventRef));
    const settings = await this.settings.effective(event.overrides);
    const { fields, giftAidScope } = settings.donation;
    if (!fields.giftAid) throw new ConflictError('GIFT_AID_OFF', 'The event does not offer Gift Aid');
    return toText(declarationText(settings, giftAidScope));
  }

  /** @throws NotFoundError `DONATION_NOT_FOUND` */
  async ofDonation(donationId: string): Promise<DeclarationOfDonationDto> {
    assertDonationId(donationId);
    const [row] = await this.database.query<DeclarationRow & { covers: boolean }>(OF_DONATION, [donationId]);
    if (!row && !(await donationById(this.database, donationId))) throw noSuchDonation();
    return { declaration: row ? toDeclaration(row) : null, covers: row?.covers ?? false };
  }

  /**
   * Stores a declaration that the donor signed on paper. The donation is then marked with Gift Aid.
   * @throws NotFoundError `DONATION_NOT_FOUND`, ConflictError `GIFT_AID_DECLARED`
   */
  async enter(caller: Principal, donationId: string, sent: WrittenDeclarationDto): Promise<DeclarationDto> {
    assertDonationId(donationId);
    const address = readAddress(sent.address, 'address');
    const declaredAt =
      (sent.declaredAt === undefined ? undefined : parseInstant(sent.declaredAt)) ?? new Date();
    if (declaredAt.getTime() > Date.now())
      throw new RefusedFieldsError([
        { field: 'declaredAt', rule: 'other', message: 'declaredAt must not be in the future' },
      ]);
    const found = await donationById(this.database, donationId);
    if (!found) throw noSuchDonation();
    const event = await this.events.get(found.event_id);
    const settings = await this.settings.effective(event.overrides);
    const text = declarationText(settings, sent.scope ?? settings.donation.giftAidScope);
    const { firstName, lastName } = sent;
    return await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, donationId);
      if (!donation) throw noSuchDonation();
      const made = {
        text,
        channel: 'written',
        language: 'en',
        firstName,
        lastName,
        address,
        declaredAt,
      } as const;
      const id = await declare(tx, donation, made);
      if (id === undefined)
        throw new ConflictError('GIFT_AID_DECLARED', 'This donation has a Gift Aid declaration');
      const actor = actorOf(caller);
      this.changes.apply(tx, donation, { fact: { kind: 'edited' }, columns: { gift_aid: true }, actor });
      await this.audit.record(actor, 'gift_aid.declare', donationId, { declaration: id }, tx);
      return toDeclaration(await this.locked(tx, id));
    });
  }

  /**
   * Cancels a declaration from now on. Donations before the cancellation keep it. A repeat changes nothing.
   * @throws NotFoundError `GIFT_AID_NOT_FOUND`
   */
  async cancel(caller: Principal, id: string, { reason }: CancelDeclarationDto): Promise<DeclarationDto> {
    return await this.cancelAs(actorOf(caller), id, reason ?? null);
  }

  /** The declarations of a donor, newest first. */
  async ofDonor(donorKey: Buffer): Promise<DeclarationDto[]> {
    return (await this.database.query<DeclarationRow>(OF_DONOR, [donorKey])).map(toDeclaration);
  }

  /**
   * Like `cancel`, for the donor who made the declaration.
   * @throws NotFoundError `GIFT_AID_NOT_FOUND`, also for a declaration of another donor
   */
  async cancelOwn(donorKey: Buffer, id: string): Promise<void> {
    await this.cancelAs({ kind: 'donor', id: null }, id, null, donorKey);
  }

  /** @param donorKey if given, only a declaration of this donor */
  private async cancelAs(
    actor: Actor,
    id: string,
    reason: string | null,
    donorKey?: Buffer,
  ): Promise<DeclarationDto> {
    if (!isId(id)) throw noSuchDeclaration();
    return await this.database.transaction(async (tx) => {
      const before = await this.locked(tx, id);
      if (donorKey) {
        const donation = await donationById(tx, before.donation_id);
        if (!donation?.donor_key?.equals(donorKey)) throw noSuchDeclaration();
      }
      if (before.cancelled_at !== null) return toDeclaration(before);
      await tx.query(CANCEL, [id, reason]);
      const detail = { declaration: id };
      await this.audit.record(actor, 'gift_aid.cancel', before.donation_id, detail, tx);
      return toDeclaration(await this.locked(tx, id));
    });
  }

  private async locked(tx: Transaction, id: string): Promise<DeclarationRow> {
    const [row] = await tx.query<DeclarationRow>(LOCK_DECLARATION, [id]);
    if (!row) throw noSuchDeclaration();
    return row;
  }
}

const noSuchDeclaration = () =>
  new NotFoundError('GIFT_AID_NOT_FOUND', 'There is no such Gift Aid declaration');
