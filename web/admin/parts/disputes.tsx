import type { DonationDisputeDto } from '../../../src/donations/dto/donation.dto.js';
import { Icon } from '../../desk/icons.js';
import { Pill } from '../../desk/states.js';
import { dateTime, known, money, t } from '../../desk/texts.js';

/** Marks a disputed donation. A dispute that the charity won needs no mark. */
export function DisputeBadge({ dispute }: { dispute: DonationDisputeDto }) {
  const { status, isInquiry, needsAnswer } = dispute;
  if (status === 'won') return null;
  if (status === 'lost' && !needsAnswer) return <Pill>{t('dispute.lost')}</Pill>;
  return isInquiry ? (
    <Pill tone="warn">{t('dispute.inquiry')}</Pill>
  ) : (
    <Pill tone="bad">{t('dispute.open')}</Pill>
  );
}

/** Explains an open dispute: the amount, its effect on refunds, the next step with its deadline, and the place for it. */
export const DisputeNote = ({
  dispute,
  dashboardUrl,
}: {
  dispute: DonationDisputeDto;
  dashboardUrl: string | undefined;
}) => (
  <div class="note note--warn">
    <p>
      {t(dispute.blocksRefund ? 'dispute.blocks' : 'dispute.asks', {
        amount: money(dispute.amount, dispute.currency),
      })}
    </p>
    <p>{nextStep(dispute)}</p>
    <DashboardLink url={dashboardUrl} />
  </div>
);

function nextStep({ needsAnswer, dueBy, isInquiry }: DonationDisputeDto): string {
  if (!needsAnswer) return t('dispute.waits');
  const step = dueBy === null ? t('dispute.answer') : t('dispute.answerUntil', { time: dateTime(dueBy) });
  return isInquiry ? `${step} ${t('dispute.refundEnds')}` : step;
}

/** Link to the payment in the provider's dashboard. */
export const DashboardLink = ({ url, look }: { url: string | undefined; look?: string }) =>
  url === undefined ? null : (
    <a class={look ?? 'outlink'} href={url} target="_blank" rel="noopener noreferrer">
      {t('story.dashboard')} <Icon name="out" size={14} />
    </a>
  );

/** Text key of each reason of a dispute at Stripe and PayPal. */
const REASONS: Readonly<Record<string, string>> = {
  fraudulent: 'unauthorized',
  unauthorised: 'unauthorized',
  debit_not_authorized: 'unauthorized',
  unrecognized: 'unrecognized',
  duplicate: 'twice',
  duplicate_transaction: 'twice',
  payment_by_other_means: 'twice',
  incorrect_amount: 'amount',
  credit_not_processed: 'noRefund',
  product_not_received: 'notReceived',
  merchandise_or_service_not_received: 'notReceived',
  product_unacceptable: 'notDescribed',
  merchandise_or_service_not_as_described: 'notDescribed',
  subscription_canceled: 'recurring',
  canceled_recurring_billing: 'recurring',
  bank_cannot_process: 'bank',
  check_returned: 'bank',
  incorrect_account_details: 'bank',
  insufficient_funds: 'bank',
  customer_initiated: 'donor',
  problem_with_remittance: 'bank',
  noncompliant: 'rules',
  general: 'other',
  other: 'other',
};

/** Reason of a dispute in the reader's language; the provider's word if the dashboard has no text for it. */
export const disputeReason = (reason: string): string =>
  known('disputeReason', REASONS[reason.toLowerCase()] ?? '') ?? reason.replaceAll('_', ' ').toLowerCase();
