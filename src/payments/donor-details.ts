import { InvalidInputError } from '../common/errors/domain-errors.js';
import type { NewDonation } from '../donations/donation-columns.js';
import type { Settings } from '../settings/settings.js';
import { coveringFee, type FeeRate } from './covered-fee.js';
import type { CreateIntentDto } from './dto/intent.dto.js';

/** What a donor's page asks for beside the four fields. */
export type DonorDetails = Pick<NewDonation, 'locale' | 'donor_address' | 'gift_aid' | 'covered_fee'>;

/**
 * The details of an intent, as far as the event asks for them: what it does not ask for is not kept.
 * @throws InvalidInputError for a covered fee that is not the one of the settings, and for a Gift Aid declaration
 *   without the name and the address that it needs
 * @param step what is paid in that currency are multiples of so many minor units
 */
export function donorDetails(
  { fields, coverFee }: Settings['donation'],
  { amount, metadata }: CreateIntentDto,
  step: number,
): DonorDetails {
  const address = fields.address === 'hidden' ? null : (metadata.donorAddress ?? null);
  const giftAid = fields.giftAid ? (metadata.giftAid ?? false) : null;
  if (giftAid === true && (address === null || (metadata.donorName ?? null) === null))
    throw new InvalidInputError(
      'GIFT_AID_INCOMPLETE',
      "A Gift Aid declaration needs the donor's name and address",
    );
  return {
    locale: metadata.locale ?? null,
    donor_address: address,
    gift_aid: giftAid,
    covered_fee: coveredFee({ ...coverFee, step }, amount, metadata.coveredFee ?? 0),
  };
}

/** Stated by the page that added it: the very fee of the settings, or nobody could say what was given. */
function coveredFee(
  { offer, step, ...rate }: Settings['donation']['coverFee'] & Required<FeeRate>,
  amount: number,
  covered: number,
) {
  if (covered === 0) return null;
  // A page of one provider may add no more than is needed; ours add what all of them take.
  const fees = [1, step].map((one) => coveringFee(amount - covered, { ...rate, step: one }));
  if (!offer || !fees.includes(covered))
    throw new InvalidInputError(
      'COVERED_FEE_WRONG',
      'metadata.coveredFee is not the fee of the settings for this amount',
    );
  return BigInt(covered);
}
