import type { DonationDto } from '../../../src/donations/dto/donation.dto.js';
import { Pill, type Tone } from '../../desk/states.js';
import { methodInWords } from '../../../src/donations/store/method-names.js';
import { localeLanguage, t, type TextKey, word } from '../../desk/texts.js';
import { DisputeBadge } from './disputes.js';

export type Donation = DonationDto & {
  readonly recordedAt?: string;
  readonly terminalId?: string | null;
  readonly paddle?: string | null;
  readonly roundId?: string | null;
  readonly paidBy?: string | null;
};

export const STATUSES = ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED'] as const;
export const ONLINE = ['card', 'wallet'] as const;
export const OFFLINE = ['cash', 'check', 'card_terminal', 'bank_transfer', 'pledge', 'other'] as const;
export const TYPES = [...ONLINE, ...OFFLINE] as const;
/** The most frequent methods and wallets of online donations, for the filter. */
export const METHODS = [
  'card',
  'apple_pay',
  'google_pay',
  'link',
  'paypal',
  'ideal',
  'bancontact',
  'twint',
  'sepa_debit',
  'bacs_debit',
  'swish',
  'klarna',
  'venmo',
] as const;
export const RECEIVED = ['cash', 'check', 'card_terminal', 'bank_transfer', 'other'] as const;

/** Label of the reference of a donation; other kinds have none. */
export const REFERENCE_LABEL: Readonly<Partial<Record<Donation['type'], TextKey>>> = {
  check: 'donation.chequeNumber',
  bank_transfer: 'donation.transferReference',
};

export const STATUS_TONE: Readonly<Record<Donation['status'], Tone>> = {
  PENDING: 'warn',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'quiet',
  REFUNDED: 'brand',
};

export const isOnline = ({ type }: Pick<Donation, 'type'>): boolean =>
  (ONLINE as readonly string[]).includes(type);

/** Name of a payment method, in the language of the dashboard. */
export const methodName = (method: string, wallet: string | null = null): string =>
  methodInWords(method, wallet, localeLanguage());

/** The kind of a donation in words: the payment method of an online donation, if it is known. */
export const kindOf = ({ type, method, wallet }: Pick<Donation, 'type' | 'method' | 'wallet'>): string =>
  method === undefined ? word('type', type) : methodName(method, wallet);

/** Part of the amount that was not refunded: this part is in the total. */
export const keptOf = ({ amount, refundedAmount }: Donation): number => amount - refundedAmount;

/** Amount that can still be refunded: the amount minus completed and pending refunds. */
export const refundable = (donation: Donation): number =>
  donation.amount - donation.refundedAmount - (donation.refundPending ?? 0);

export const nameOf = ({ donorName }: Pick<Donation, 'donorName'>): string => donorName ?? t('donor.unnamed');

/** Shows the paddle number of a donation. It identifies a guest in the room, so only the dashboard and the till show it. */
export const Paddle = ({
  donation: { paddle },
  class: look,
}: {
  donation: Pick<Donation, 'paddle'>;
  class: string;
}) => (paddle ? <span class={look}>{` · ${t('donation.paddle')} ${paddle}`}</span> : null);

/**
 * Shows the status of a donation and of its dispute. A pledge that was paid online has the status CANCELLED, because its payment is a
 * separate donation. Here such a pledge is shown as paid.
 */
export const DonationState = ({
  donation: { status, paidBy, dispute, wallState },
}: {
  donation: Pick<Donation, 'status' | 'paidBy' | 'dispute' | 'wallState'>;
}) => (
  <>
    {paidBy ? (
      <Pill>{t('donation.paidOnline')}</Pill>
    ) : (
      <Pill tone={STATUS_TONE[status]}>{t(`donation.status.${status}`)}</Pill>
    )}
    {status === 'COMPLETED' && wallState === 'held' && (
      <>
        {' '}
        <Pill tone="warn">{t('held.pill')}</Pill>
      </>
    )}
    {dispute && (
      <>
        {' '}
        <DisputeBadge dispute={dispute} />
      </>
    )}
  </>
);
