import { Pill } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { type Donation, STATUS_TONE } from './donations.js';

/** The state of a donation. A pledge that was paid online is CANCELLED in the books: the money is another donation. */
export const DonationState = ({
  donation: { status, paidBy },
}: {
  donation: Pick<Donation, 'status' | 'paidBy'>;
}) =>
  paidBy ? (
    <Pill>{t('donation.paidOnline')}</Pill>
  ) : (
    <Pill tone={STATUS_TONE[status]}>{t(`donation.status.${status}`)}</Pill>
  );
