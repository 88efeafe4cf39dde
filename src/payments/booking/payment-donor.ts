import type { KeyRing } from '../../common/crypto/key-ring.js';
import type { Transaction } from '../../data/database.js';
import type { NewDonation } from '../../donations/store/donation-columns.js';
import { donorKeyOf, type Moderation, moderationStates } from '../../donations/recording/new-donation.js';
import { wasErasedAfter } from '../../donations/donors/erased-donors.js';
import type { PaidFact } from '../providers/provider-port.js';

type DonorOfPayment = Pick<
  NewDonation,
  'donor_name' | 'donor_email' | 'is_anonymous' | 'message' | 'message_state' | 'name_state' | 'donor_key'
>;

/**
 * Returns the donor of a payment that was made without an intent. If the donor's data was erased after the payment, a
 * late webhook event does not restore the data. The donor key remains, so that the number of donors is correct.
 */
export async function donorOfPayment(
  tx: Transaction,
  keys: KeyRing,
  { donor, paidAt }: PaidFact,
  moderate: Moderation,
): Promise<DonorOfPayment> {
  const key = donorKeyOf(keys, donor?.email ?? null);
  const said = key !== null && (await wasErasedAfter(tx, key, paidAt)) ? undefined : donor;
  const named = {
    donorName: said?.name ?? null,
    isAnonymous: said?.name === undefined || (said.isAnonymous ?? false),
    message: said?.message ?? null,
  };
  return {
    donor_name: named.donorName,
    donor_email: said?.email ?? null,
    is_anonymous: named.isAnonymous,
    message: named.message,
    ...moderationStates(moderate, named),
    donor_key: key,
  };
}
