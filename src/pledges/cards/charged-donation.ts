import type { KeyRing } from '../../common/crypto/key-ring.js';
import type { Moderation } from '../../donations/recording/new-donation.js';
import type { DonationRow, NewDonation } from '../../donations/store/donation-columns.js';
import { intendedDonation } from '../../payments/intents/intended-donation.js';

/** The charge of a pledge, as the guest agreed to it. */
interface Charged {
  readonly provider: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Address of the guest, if the pledge has none. The receipt goes there. */
  readonly email: string | null;
  /** Language of the consent. */
  readonly language: string;
}

/** Returns the columns of the PENDING donation that the charge of a saved card pays. The donor is the donor of the pledge. */
export function chargedDonation(
  keys: KeyRing,
  pledge: DonationRow,
  { provider, amount, currency, email, language }: Charged,
  moderate: Moderation,
): NewDonation {
  const details = {
    locale: pledge.locale ?? language,
    donor_address: null,
    address: null,
    gift_aid: null,
    covered_fee: null,
    source: null,
  };
  const metadata = {
    eventId: pledge.event_id,
    donorName: pledge.donor_name,
    donorEmail: pledge.donor_email ?? email,
  };
  const accepted = { amount, currency, moderate, details, declaration: undefined };
  const event = { id: pledge.event_id };
  return intendedDonation(
    keys,
    { event, metadata, pledge, accepted, teamId: null },
    { type: 'card', name: provider },
  );
}
