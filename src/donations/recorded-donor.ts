import type { KeyRing } from '../common/key-ring.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import type { SqlExecutor } from '../data/database.js';
import { type DonorFields, donorFields } from './donor-fields.js';
import { donorKeyOf } from './donor-key.js';
import type { RecordDonationDto } from './dto/record-donation.dto.js';
import { wasErasedAfter } from './erased-donors.js';

/** What the history of a record says whose donor was erased before it arrived. */
export const ERASED_BEFORE_ARRIVAL = 'the donor was erased before this record arrived';
/** By so much clocks of terminals may differ from ours. */
const CLOCKS_DIFFER_MS = 120_000;

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
  if (donorKey === null || takenAt === undefined) return { ...donor, donorKey, erased: false };
  return wasErasedAfter(db, donorKey, new Date(takenAt.getTime() - CLOCKS_DIFFER_MS)).then((erased) => ({
    ...(erased ? donorFields({}) : donor),
    donorKey,
    erased,
  }));
}
