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
import { CLOCKS_DIFFER_MS } from './given-at.js';

/** The keyed digest that counts a donor once, however the address is written; null without an address. */
export const donorKeyOf = (keys: KeyRing, email: string | null): Buffer | null =>
  email === null ? null : keys.donorDigest(donorText(email));

/** An address as donors are compared by it. */
export const donorText = (email: string): string => comparableEmail(email).normalize('NFKC').toLowerCase();

export interface DonorFields {
  readonly donorName: string | null;
  readonly donorEmail: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
}

/** What was sent about a donor, complete: absent is null, and without a name a donation is anonymous. */
export function donorFields(sent: DonorFieldsDto): DonorFields {
  const donorName = sent.donorName ?? null;
  return {
    donorName,
    donorEmail: sent.donorEmail ?? null,
    isAnonymous: donorName === null || (sent.isAnonymous ?? false),
    message: sent.message ?? null,
  };
}

/** Whether a donor who gave a name asked not to be shown by it. */
export const staysUnnamed = ({
  donor_name,
  is_anonymous,
}: Pick<DonationRow, 'donor_name' | 'is_anonymous'>): boolean => is_anonymous && donor_name !== null;

/** What the history of a record says whose donor was erased before it arrived. */
export const ERASED_BEFORE_ARRIVAL = 'the donor was erased before this record arrived';

export interface RecordedDonor extends DonorFields {
  readonly donorKey: Buffer | null;
  /** Whether it says less than was sent. */
  readonly erased: boolean;
}

/**
 * Who gave what a terminal recorded. Somebody who was erased while the record waited there is not brought back by it:
 * the digest stays, so that the number of donors is right. Without a time of its own a record is made as it arrives.
 */
export function recordedDonor(
  db: SqlExecutor,
  keys: KeyRing,
  sent: RecordDonationDto,
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

/** What only a donor's own page asks for. */
export const NO_DETAILS = {
  locale: null,
  donor_address: null,
  gift_aid: null,
  covered_fee: null,
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
};

/** What an online donation has nothing of. */
export const NOT_AT_A_TERMINAL = {
  recorded_at: null,
  terminal_id: null,
  paddle: null,
  round_id: null,
} as const satisfies Partial<NewDonation>;

// An object of so many fields that is put together of others is a slow one; a copy of one that has them all is not.
const BLANK: object = Object.fromEntries(columnsWhere(() => true).map((column) => [column, null]));

/** The whole row of a new donation, in the state that the table begins it in. */
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

/** What a wall could show of a donor. */
interface Shown {
  readonly donorName: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
}

/** What of a new donation waits for approval. */
export function moderationStates(moderate: Moderation, donor: Shown): States {
  return {
    message_state: donor.message !== null && moderate !== 'none' ? 'held' : 'visible',
    name_state: nameOf(donor) !== null && moderate === 'all' ? 'held' : 'visible',
  };
}

/** After a correction: words that nobody has approved wait as those of a new donation do; what is hidden stays so. */
export function statesOfCorrected(moderate: Moderation, before: Shown & States, after: Shown): States {
  const anew = moderationStates(moderate, after);
  const decided = (state: States['name_state'], isNew: boolean, fresh: States['name_state']) =>
    state === 'visible' && isNew ? fresh : state;
  return {
    message_state: decided(before.message_state, after.message !== before.message, anew.message_state),
    name_state: decided(before.name_state, nameOf(after) !== nameOf(before), anew.name_state),
  };
}

const nameOf = ({ donorName, isAnonymous }: Shown): string | null => (isAnonymous ? null : donorName);
