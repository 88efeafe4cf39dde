import { textOfCause } from '../lifecycle/history-cause.js';
import { comparableEmail } from '../../common/text/email-address.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';
import { parseInstant } from '../../common/validation/field.decorators.js';
import type { SqlExecutor } from '../../data/database.js';
import type { Settings } from '../../settings/settings.js';
import {
  columnsWhere,
  type DonationRow,
  type EmptyColumns,
  type NewDonation,
} from '../store/donation-columns.js';
import { type Beginning, beginsAs, COUNTED, type StateTable } from '../lifecycle/donation-lifecycle.js';
import type { DonorFieldsDto, RecordDonationDto } from '../dto/record-donation.dto.js';
import { wasErasedAfter } from '../donors/erased-donors.js';
import { NO_TRIBUTE } from '../tributes/tribute.js';
import { CLOCKS_DIFFER_MS } from './given-at.js';

/**
 * Keyed digest of the e-mail address; null without an address. All spellings of an address have the same digest, so the totals
 * count the donor only once.
 */
export const donorKeyOf = (keys: KeyRing, email: string | null): Buffer | null =>
  email === null ? null : keys.donorDigest(donorText(email));

/** Normalizes a donor's e-mail address, so that all its spellings are equal. */
export const donorText = (email: string): string => comparableEmail(email).normalize('NFKC').toLowerCase();

export interface DonorFields {
  readonly donorName: string | null;
  readonly donorEmail: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
}

/** Complete donor fields: an absent field becomes null, and a donation without a name is anonymous. */
export function donorFields(sent: RecordedDonorFields): DonorFields {
  const donorName = sent.donorName ?? null;
  return {
    donorName,
    donorEmail: sent.donorEmail ?? null,
    isAnonymous: donorName === null || (sent.isAnonymous ?? false),
    message: sent.message ?? null,
  };
}

/** True if the donor gave a name but asked not to show it. */
export const staysUnnamed = ({
  donor_name,
  is_anonymous,
}: Pick<DonationRow, 'donor_name' | 'is_anonymous'>): boolean => is_anonymous && donor_name !== null;

/** History reason of a record whose donor was erased before it arrived. */
export const ERASED_BEFORE_ARRIVAL = textOfCause({ kind: 'donor_erased_before' });

export interface RecordedDonor extends DonorFields {
  readonly donorKey: Buffer | null;
  /** True if donor data was removed from the record. */
  readonly erased: boolean;
}

/** The donor fields of a record, and the time by the clock of the terminal. */
export type RecordedDonorFields = {
  readonly [Field in keyof DonorFieldsDto | 'recordedAt']?: RecordDonationDto[Field] | undefined;
};

/**
 * Returns the donor of a record from a terminal. If the donor was erased while the record waited, the donor data is not stored
 * again. Only the digest is stored, so that the donor count stays correct. A record without a time is treated as made on
 * arrival.
 */
export function recordedDonor(
  db: SqlExecutor,
  keys: KeyRing,
  sent: RecordedDonorFields,
): RecordedDonor | Promise<RecordedDonor> {
  const donor = donorFields(sent);
  const donorKey = donorKeyOf(keys, donor.donorEmail);
  const takenAt = sent.recordedAt === undefined ? undefined : parseInstant(sent.recordedAt);
  if (donorKey === null || takenAt === undefined) {
    const { donorName, donorEmail, isAnonymous, message } = donor;
    return { donorName, donorEmail, isAnonymous, message, donorKey, erased: false };
  }
  return wasErasedAfter(db, donorKey, new Date(takenAt.getTime() - CLOCKS_DIFFER_MS)).then((erased) => ({
    ...(erased ? donorFields({}) : donor),
    donorKey,
    erased,
  }));
}

/** Empty values of the fields that only the donation page has, of the choice to hide the amount, of the tribute and the team. */
export const NO_DETAILS = {
  is_amount_hidden: false,
  locale: null,
  donor_address: null,
  address: null,
  gift_aid: null,
  covered_fee: null,
  source: null,
  team_id: null,
  match_pool_id: null,
  ...NO_TRIBUTE,
} as const satisfies Partial<NewDonation>;

const EMPTY: EmptyColumns = {
  capture_id: null,
  refunded_amount: 0n,
  paid_at: null,
  checked_at: null,
  next_check_at: null,
  fee: null,
  fee_currency: null,
  receipt_number: null,
  shift_id: null,
  paid_by: null,
  method: null,
  wallet: null,
  pledged_amount: null,
  benefit_value: null,
  benefit_text: null,
  donor_pronunciation: null,
  wall_state: null,
};

/** Empty values of the fields that only offline donations have. */
export const NOT_AT_A_TERMINAL = {
  guest_id: null,
  recorded_at: null,
  terminal_id: null,
  paddle: null,
  round_id: null,
  reference: null,
  note: null,
  is_past_donation: false,
} as const satisfies Partial<NewDonation>;

// In V8, an object with so many fields is slow if several spreads build it. A copy of a complete object is fast.
const BLANK: object = Object.fromEntries(columnsWhere(() => true).map((column) => [column, null]));

/** The complete row of a new donation in its initial state. */
export function newDonation(given: NewDonation, beginning: Beginning, table: StateTable): DonationRow {
  const status = beginsAs(beginning, table);
  return Object.assign({ ...BLANK }, given, EMPTY, {
    status,
    updated_at: given.created_at,
    completed_at: status === COUNTED ? given.created_at : null,
  });
}

export type Moderation = Settings['live']['moderate'];
type States = Pick<DonationRow, 'message_state' | 'name_state'>;

/** Donor texts that a wall can show. */
interface Shown {
  readonly donorName: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
}

/** Moderation states of a new donation. */
export function moderationStates(moderate: Moderation, donor: Shown): States {
  return {
    message_state: donor.message !== null && moderate !== 'none' ? 'held' : 'visible',
    name_state: nameOf(donor) !== null && moderate === 'all' ? 'held' : 'visible',
  };
}

/**
 * Moderation states after a correction. A changed text waits for approval like the text of a new donation. A hidden text stays
 * hidden.
 */
export function statesOfCorrected(moderate: Moderation, before: Shown & States, after: Shown): States {
  const anew = moderationStates(moderate, after);
  const decided = (state: States['name_state'], isNew: boolean, fresh: States['name_state']) =>
    state === 'visible' && isNew ? fresh : state;
  return {
    message_state: decided(before.message_state, after.message !== before.message, anew.message_state),
    name_state: decided(before.name_state, nameOf(after) !== nameOf(before), anew.name_state),
  };
}

/**
 * State of the card of a donation that people recorded: `held` if it counts and is larger than `live.holdFrom`. A typed extra
 * zero can then be corrected before the room sees it.
 */
export const recordedWallState = (
  holdFrom: number | null,
  { status, amount }: Pick<DonationRow, 'status' | 'amount'>,
): DonationRow['wall_state'] =>
  status === COUNTED && holdFrom !== null && amount > holdFrom ? 'held' : null;

const nameOf = ({ donorName, isAnonymous }: Shown): string | null => (isAnonymous ? null : donorName);
