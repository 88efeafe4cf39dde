import type { ReviewItemDto } from '../../../src/reporting/review/dto/review-item.dto.js';
import { dateTime, money, t, word } from '../../desk/texts.js';
import { href } from '../router.js';
import { disputeReason } from './disputes.js';
import { debitReason, fraudReason } from './refusal-reasons.js';

type Detail = Readonly<Record<string, unknown>>;

const textOf = (values: Detail | null, name: string): string | undefined => {
  const value = values?.[name];
  return typeof value === 'string' ? value : undefined;
};

const moneyOf = (values: Detail | null, name: string, currency: string): string | undefined => {
  const amount = values?.[name];
  const unit = textOf(values, currency);
  return typeof amount === 'number' && unit !== undefined ? money(amount, unit) : undefined;
};

/** Reason in the reader's language, with the provider's code behind it for questions to the provider. */
function refusal(kind: 'debit_failed' | 'fraud_warning', code: string | undefined) {
  if (kind === 'fraud_warning' && code === undefined) return undefined;
  return (
    <>
      {kind === 'fraud_warning' ? fraudReason(code ?? '') : debitReason(code)}{' '}
      {code !== undefined && <small class="mono facts__code">{code}</small>}
    </>
  );
}

/**
 * The donation of a review item. For a dispute, shows also the disputed amount, the reason, the deadline, and
 * a link to the place for the answer; for a refused debit and a fraud warning, the reason.
 */
export function ReviewFacts({ item }: { item: ReviewItemDto }) {
  const { donation, donationId, kind, dueBy, detail, particulars } = item;
  if (kind === 'match_overpaid')
    return (
      <p>
        <a href={href(`match-pools/${item.subject}`)}>{t('nav.matchPools')}</a>
      </p>
    );
  if (!donation) return null;
  const reason = textOf(particulars, 'reason');
  const rows = [
    [
      t('donor.one'),
      <a href={href(`donations/${donationId ?? ''}`)}>{donation.donorName ?? t('donor.unnamed')}</a>,
    ],
    [t('donation.one'), money(donation.amount, donation.currency)],
    [t('event.one'), <a href={href(`events/${donation.eventSlug}`)}>{donation.eventName}</a>],
    ...(kind === 'dispute'
      ? [
          [t('dispute.amount'), moneyOf(detail, 'amount', 'currency')],
          [t('dispute.fee'), moneyOf(particulars, 'fee', 'feeCurrency')],
          [t('dispute.reason'), reason && disputeReason(reason)],
        ]
      : []),
    ...(kind === 'debit_failed' || kind === 'fraud_warning'
      ? [[t('dispute.reason'), refusal(kind, textOf(detail, 'reason'))]]
      : []),
    [t('dispute.until'), dueBy && dateTime(dueBy)],
    [
      t('dispute.where'),
      donation.provider && (
        <>
          {word('provider', donation.provider)} <span class="mono">{donation.paymentId}</span>
        </>
      ),
    ],
  ] as const;
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}
