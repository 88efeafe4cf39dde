import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { EditConflicts } from '../../audit/edit-conflicts.service.js';
import { actorOf, type Principal, scopeOf } from '../../common/access/principal.js';
import { ConflictError, EditConflictError, InvalidInputError } from '../../common/errors/domain-errors.js';
import { unexpectedValues } from '../../common/validation/expected.js';
import { toJsonAmount } from '../../common/money/money.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database, type Transaction } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { assertDonationId, assertSeen, donationById, lockDonation } from '../store/donation-store.js';
import { claimsOn } from '../store/claims.js';
import { changedDonorFields, DonationChanges } from './donation-changes.js';
import { COUNTED } from './donation-lifecycle.js';
import type { DonationRow, DonorColumns } from '../store/donation-columns.js';
import { hidesGuestEmail, seenBy } from '../store/guest-email.js';
import { OPEN_SHIFT_OF } from '../store/donations.sql.js';
import { assertTeamOf } from '../../teams/team-choice.js';
import {
  donorKeyOf,
  type Moderation,
  recordedWallState,
  statesOfCorrected,
} from '../recording/new-donation.js';
import { type DonationDto, toDonation } from '../dto/donation.dto.js';
import type { TributeDto } from '../tributes/tribute.dto.js';
import { correctedTribute, readTribute } from '../tributes/tribute-columns.js';
import type { FulfilPledgeDto } from '../dto/record-donation.dto.js';
import {
  type ChangeableFieldsDto,
  READ_ONLY_FIELDS,
  type UpdateDonationDto,
} from '../dto/update-donation.dto.js';

/** Corrects donor data and marks pledges as paid. */
@Injectable()
export class CorrectionsService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly keys: KeyRing,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
  ) {}

  /**
   * Changes the donor's name, e-mail address, postal address, anonymity, pronunciation or message, the
   * reference, the note, the team or the benefit. The history entry lists the changed fields. A request that
   * changes nothing adds no history entry. If walls show only approved texts, the new text waits for approval.
   * @throws NotFoundError DONATION_NOT_FOUND, TEAM_NOT_FOUND
   * @throws InvalidInputError READ_ONLY_FIELD
   * @throws ConflictError BENEFIT_ABOVE_AMOUNT
   * @throws EditConflictError if a field does not have its expected value
   */
  async update(caller: Principal, id: string, sent: UpdateDonationDto): Promise<DonationDto> {
    assertDonationId(id);
    const trail = { subjectId: id.toLowerCase(), actions: ['donation.correct'] };
    return await this.conflicts.explaining(caller, [trail], () => this.correct(caller, id, sent));
  }

  private async correct(caller: Principal, id: string, sent: UpdateDonationDto): Promise<DonationDto> {
    const found = await donationById(this.database, id);
    assertSeen(caller, found);
    const event = await this.events.get(found.event_id);
    const { moderate } = (await this.settings.effective(event.overrides)).live;
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      assertSeen(caller, before);
      const claims = (await claimsOn(tx, [before])).get(id);
      const seen = seenBy(caller, before);
      refuseReadOnly(toDonation(seen, claims), sent);
      refuseUnexpected(seen, sent);
      refuseBenefitAbove(before.amount, sent);
      if (sent.teamId) await assertTeamOf(tx, before.event_id, sent.teamId);
      const actor = actorOf(caller);
      const after = this.changes.apply(tx, before, {
        fact: { kind: 'edited' },
        columns: this.corrected(before, sent, moderate, correctedEmail(caller, before, sent)),
        actor,
      });
      if (!after) return toDonation(seen, claims);
      const fields = changedDonorFields(before, after);
      const detail = { fields, receiptNumber: before.receipt_number };
      await this.audit.record(actor, 'donation.correct', id, detail, tx);
      return toDonation(seenBy(caller, after), claims);
    });
  }

  /**
   * Marks a pledge as paid and stores the payment type. From now on, the totals include the pledge. A large pledge that a volunteer
   * marks waits for a second person like a large record.
   */
  async fulfil(caller: Principal, id: string, { type }: FulfilPledgeDto): Promise<DonationDto> {
    assertDonationId(id);
    const holdFrom = await this.holdFromOf(caller);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      assertSeen(caller, before);
      const after =
        before.type === 'pledge'
          ? this.changes.apply(tx, before, {
              fact: { kind: 'fulfilled' },
              columns: {
                type,
                shift_id: await openShiftOf(tx, caller, before.event_id),
                wall_state: recordedWallState(holdFrom, { status: COUNTED, amount: before.amount }),
              },
              actor: actorOf(caller),
              cause: { kind: 'pledge_fulfilled', type },
            })
          : undefined;
      if (!after) throw new ConflictError('PLEDGE_NOT_OPEN', 'Only an open pledge can be fulfilled');
      return toDonation(seenBy(caller, after));
    });
  }

  /** The limit of the volunteer's event; null for a person at the dashboard, who is the second person. */
  private async holdFromOf(caller: Principal): Promise<number | null> {
    const scope = scopeOf(caller);
    if (scope.kind !== 'own-event') return null;
    const event = await this.events.get(scope.eventId);
    return (await this.settings.effective(event.overrides)).live.holdFrom;
  }

  private corrected(
    before: DonationRow,
    sent: UpdateDonationDto,
    moderate: Moderation,
    donorEmail: string | null,
  ): DonorColumns & Pick<DonationRow, 'message_state' | 'name_state' | 'tribute_state'> {
    const donorName = sent.donorName === undefined ? before.donor_name : sent.donorName;
    const isAnonymous = donorName === null || (sent.isAnonymous ?? before.is_anonymous);
    const message = sent.message === undefined ? before.message : sent.message;
    const donorAddress = sent.donorAddress === undefined ? before.donor_address : sent.donorAddress;
    const { message_state, name_state } = before;
    const shown = {
      donorName: before.donor_name,
      isAnonymous: before.is_anonymous,
      message: before.message,
      message_state,
      name_state,
    };
    return {
      donor_name: donorName,
      donor_email: donorEmail,
      is_anonymous: isAnonymous,
      is_amount_hidden: sent.isAmountHidden ?? before.is_amount_hidden,
      message,
      ...statesOfCorrected(moderate, shown, { donorName, isAnonymous, message }),
      donor_address: donorAddress,
      // The parts would name another address than the text.
      address: donorAddress === before.donor_address ? before.address : null,
      ...correctedTribute(
        this.keys,
        moderate,
        before,
        sent.tribute === undefined ? before.tribute : readTribute(sent.tribute),
      ),
      gift_aid: before.gift_aid,
      reference: sent.reference === undefined ? before.reference : sent.reference,
      note: sent.note === undefined ? before.note : sent.note,
      benefit_value: benefitOf(before, sent),
      benefit_text: sent.benefitText === undefined ? before.benefit_text : sent.benefitText,
      donor_pronunciation: pronunciationOf(before, donorName, sent),
      team_id: sent.teamId === undefined ? before.team_id : sent.teamId,
      // If the address is unchanged, the stored key is kept. A new key could differ, because the secret may have changed.
      donor_key: donorEmail === before.donor_email ? before.donor_key : donorKeyOf(this.keys, donorEmail),
    };
  }
}

/**
 * Returns the id of the caller's open shift. If a count of the shift is running, the query waits for its end; then the shift is
 * no longer open.
 */
async function openShiftOf(tx: Transaction, caller: Principal, eventId: string): Promise<string | null> {
  const scope = scopeOf(caller);
  if (scope.kind !== 'own-event') return null;
  const [shift] = await tx.query<{ id: string }>(OPEN_SHIFT_OF, [eventId, scope.staffId, scope.terminalId]);
  return shift?.id ?? null;
}

/**
 * Returns the e-mail address after a correction. Null from a volunteer who cannot see the address keeps it, because the form of
 * the volunteer shows an empty field and sends it back.
 */
function correctedEmail(
  caller: Principal,
  before: DonationRow,
  { donorEmail }: UpdateDonationDto,
): string | null {
  const isUnseen = donorEmail === null && hidesGuestEmail(caller, before);
  return donorEmail === undefined || isUnseen ? before.donor_email : donorEmail;
}

function refuseReadOnly(present: DonationDto, sent: UpdateDonationDto): void {
  const changed = READ_ONLY_FIELDS.filter(
    (field) => sent[field] !== undefined && !isDeepStrictEqual(sent[field], present[field]),
  );
  // A client may send back an old `updatedAt`. This is not an attempt to change the field.
  const refused = changed.filter((field) => field !== 'updatedAt');
  if (refused.length > 0)
    throw new InvalidInputError('READ_ONLY_FIELD', `${refused.join(', ')} cannot be changed`);
}

/** The pronunciation belongs to the name, so a new name without a pronunciation has none. */
function pronunciationOf(
  before: DonationRow,
  donorName: string | null,
  { donorPronunciation }: UpdateDonationDto,
): string | null {
  if (donorName === null) return null;
  if (donorPronunciation !== undefined) return donorPronunciation;
  return donorName === before.donor_name ? before.donor_pronunciation : null;
}

const benefitOf = (before: DonationRow, { benefitValue }: UpdateDonationDto): bigint | null => {
  if (benefitValue === undefined) return before.benefit_value;
  return benefitValue === null ? null : BigInt(benefitValue);
};

function refuseBenefitAbove(amount: bigint, { benefitValue }: UpdateDonationDto): void {
  if (benefitValue !== undefined && benefitValue !== null && BigInt(benefitValue) > amount)
    throw new ConflictError('BENEFIT_ABOVE_AMOUNT', 'The benefit cannot be worth more than the donation');
}

/** Compares the stored fields with the values that the client read. Blank text means absent. */
function refuseUnexpected(row: DonationRow, { expected = {}, ...change }: UpdateDonationDto): void {
  const stored = {
    donorName: row.donor_name,
    donorEmail: row.donor_email,
    isAnonymous: row.is_anonymous,
    isAmountHidden: row.is_amount_hidden,
    message: row.message,
    donorAddress: row.donor_address,
    tribute: row.tribute,
    reference: row.reference,
    note: row.note,
    benefitValue: row.benefit_value === null ? null : toJsonAmount(row.benefit_value),
    benefitText: row.benefit_text,
    donorPronunciation: row.donor_pronunciation,
    teamId: row.team_id,
  } satisfies Record<keyof ChangeableFieldsDto, unknown>;
  const known = (value: unknown) => (value === '' ? null : value);
  const same = (one: unknown, other: unknown, field: string) =>
    field === 'tribute' ? isDeepStrictEqual(tributeIn(one), tributeIn(other)) : known(one) === known(other);
  const unexpected = unexpectedValues({ ...expected }, { ...change }, stored, same);
  if (unexpected.length > 0) throw new EditConflictError(unexpected);
}

/** A tribute of a request or of the donation, with every field. */
const tributeIn = (value: unknown): object | null => readTribute(value as TributeDto | null | undefined);
