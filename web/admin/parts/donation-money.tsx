import type { DonationStoryDto } from '../../../src/reporting/explain/dto/story.dto.js';
import { Pill } from '../../desk/states.js';
import { money, t, word } from '../../desk/texts.js';
import { type Donation, isOnline, keptOf, refundable } from './donations.js';
import { less, LedgerRow } from './ledger.js';

/** Label of the first row: the received or the expected amount. */
function nameOfAmount({ status, type, paidBy }: Donation): string {
  if (status === 'COMPLETED' || status === 'REFUNDED') return t('ledger.received');
  if (paidBy) return t('explain.pledge_paid');
  if (status === 'PENDING') return type === 'pledge' ? t('ledger.pledged') : t('explain.pending');
  return t(`donation.status.${status}`);
}

/** The ledger of one donation, with the same labels and order as the ledger of the event. */
export function DonationMoney({
  donation,
  story,
  error,
}: {
  donation: Donation;
  story: DonationStoryDto | undefined;
  error: Error | undefined;
}) {
  const { currency, status, refundedAmount } = donation;
  const pending = donation.refundPending ?? 0;
  const counts = status === 'COMPLETED';
  const wasPaid = counts || status === 'REFUNDED';
  const disputes = story?.disputes ?? [];
  const disputed = disputes
    .filter((one) => one.status === 'lost')
    .reduce((sum, { amount }) => sum + amount, 0);
  const lost = Math.min(refundedAmount, disputed);
  const refunded = refundedAmount - lost;
  const total = counts ? keptOf(donation) : 0;
  return (
    <section aria-label={t('donation.money')}>
      <dl class="ledger">
        <LedgerRow name={nameOfAmount(donation)} amount={money(donation.amount, currency)} />
        {refunded > 0 && (
          <LedgerRow
            // Before the history is loaded, the page cannot distinguish a refund from an amount that was lost
            // in a dispute.
            name={story ? t('ledger.refunded') : `${t('ledger.refunded')} / ${t('ledger.lost')}`}
            amount={less(refunded, currency)}
          />
        )}
        {lost > 0 && <LedgerRow name={t('ledger.lost')} amount={less(lost, currency)} />}
        <LedgerRow
          sum
          name={wasPaid ? t('ledger.total') : t('donation.counts')}
          amount={money(total, currency)}
        />
        {wasPaid && !story && isOnline(donation) && (
          <LedgerRow name={t('ledger.fees')} amount={t(error ? 'closing.notChecked' : 'closing.checking')} />
        )}
        {wasPaid && story?.payment && (
          <Fees donation={donation} payment={story.payment} disputes={disputes} total={total} />
        )}
      </dl>
      {pending > 0 && (
        <dl class="ledger ledger--apart">
          <LedgerRow
            name={
              <>
                {t('donation.onItsWay')} <Pill tone="warn">{t('refund.status.pending')}</Pill>
              </>
            }
            note={t('ledger.stillIn')}
            amount={money(pending, currency)}
          />
        </dl>
      )}
      {counts && refundable(donation) === 0 && pending > 0 && (
        <p class="field__hint">{t('refund.allOnItsWay')}</p>
      )}
    </section>
  );
}

/** Fees of an online donation and the amount that reaches the bank. */
function Fees({
  donation: { currency, fee, feeCurrency },
  payment,
  disputes,
  total,
}: {
  donation: Donation;
  payment: NonNullable<DonationStoryDto['payment']>;
  disputes: DonationStoryDto['disputes'];
  total: number;
}) {
  const own = feeCurrency ?? currency;
  const charged = disputes.filter((one) => one.fee !== null && one.fee > 0);
  const disputeFees = charged.reduce((sum, one) => sum + (one.fee ?? 0), 0);
  const isKnown =
    fee !== undefined && [own, ...charged.map((one) => one.feeCurrency)].every((one) => one === currency);
  return (
    <>
      <LedgerRow
        name={t('ledger.fees')}
        note={word('provider', payment.provider)}
        amount={fee === undefined ? t('ledger.unknown') : less(fee, own)}
      />
      {charged.map((one) => (
        <LedgerRow
          key={one.id}
          name={t('ledger.disputeFees')}
          amount={less(one.fee ?? 0, one.feeCurrency ?? currency)}
        />
      ))}
      <LedgerRow
        sum
        name={t('ledger.bank')}
        amount={isKnown ? money(total - fee - disputeFees, currency) : t('ledger.unknown')}
      />
    </>
  );
}
