import type { KeyRing } from '../../common/crypto/key-ring.js';
import type { Transaction } from '../../data/database.js';
import type { DonationRow, NewDonation } from '../../donations/store/donation-columns.js';
import { donorKeyOf, type Moderation, moderationStates } from '../../donations/recording/new-donation.js';
import { wasErasedAfter } from '../../donations/donors/erased-donors.js';
import { PAYER_RULES } from './booking.sql.js';
import type { PaidFact } from '../providers/provider-port.js';

type PayerColumns = Partial<Pick<DonationRow, 'donor_name' | 'donor_email' | 'is_anonymous' | 'donor_key'>>;

interface PayerRules {
  /**
   * True if the donor was erased, or if a user corrected the donor's data. In both cases, nothing is added.
   */
  readonly is_settled: boolean;
  readonly is_erased: boolean;
  readonly keeps_name: boolean;
  readonly keeps_email: boolean;
}

/**
 * Returns the columns for the wallet's name and e-mail address, for the receipt. Data that the donor typed is
 * not replaced. The donation stays anonymous for the public. Data that the event does not ask for is dropped.
 * Nothing is added a second time or after an erasure. Call this function after the donation is locked.
 */
export async function payerColumns(
  tx: Transaction,
  keys: KeyRing,
  donation: DonationRow,
  { payer, paidAt }: PaidFact,
): Promise<PayerColumns> {
  const name = donation.donor_name === null ? payer?.name : undefined;
  const email = donation.donor_email === null ? payer?.email : undefined;
  if (name === undefined && email === undefined) return {};
  const key = donorKeyOf(keys, payer?.email ?? null);
  const [rules] = await tx.query<PayerRules>(PAYER_RULES, [donation.id, donation.event_id, key, paidAt]);
  if (!rules || rules.is_settled) return {};
  // The donor key is needed to count the donor, also without the erased data.
  if (rules.is_erased) return { donor_key: donation.donor_key ?? key };
  return {
    ...(name !== undefined && rules.keeps_name && { donor_name: name, is_anonymous: true }),
    ...(email !== undefined && rules.keeps_email && { donor_email: email, donor_key: key }),
  };
}

type DonorOfPayment = Pick<
  NewDonation,
  | 'donor_name'
  | 'donor_email'
  | 'is_anonymous'
  | 'is_amount_hidden'
  | 'message'
  | 'message_state'
  | 'name_state'
  | 'donor_key'
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
    is_amount_hidden: donor?.isAmountHidden ?? false,
    message: named.message,
    ...moderationStates(moderate, named),
    donor_key: key,
  };
}
