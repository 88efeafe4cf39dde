import type { ComponentChildren } from 'preact';
import type { TotalExplainedDto } from '../../../src/reporting/explain/dto/explain.dto.js';
import { money, t, tn } from '../../desk/texts.js';

/** A deducted amount with a minus sign; zero has no sign. */
export const less = (amount: number, currency: string): string =>
  `${amount === 0 ? '' : '−'}${money(amount, currency)}`;

/** An amount with a minus sign if it is negative. */
export const signed = (amount: number, currency: string): string =>
  amount < 0 ? less(-amount, currency) : money(amount, currency);

/** A row of a ledger. `amount` is text; `note` explains it. */
export const LedgerRow = ({
  name,
  amount,
  note,
  sum = false,
}: {
  name: ComponentChildren;
  amount: string;
  note?: string | false | undefined;
  sum?: boolean;
}) => (
  <>
    <dt class={sum ? 'ledger__sum' : undefined}>
      {name}
      {note && <span class="lines__meta"> · {note}</span>}
    </dt>
    <dd class={`number${sum ? ' ledger__sum' : ''}`}>{amount}</dd>
  </>
);

/** Money of one currency: received, refunded, total, fees, amount at the bank, and the pledges separately. */
export function Ledger({ explained: { ledger, lines, currency } }: { explained: TotalExplainedDto }) {
  if (!ledger) return null;
  const { received, refunded, lost, fees, feesUnknown, feesElsewhere, disputeFees, bank, pledged } = ledger;
  const none = fees.count === 0 && (feesUnknown > 0 || feesElsewhere > 0);
  const whole = lines
    .filter(({ kind }) => kind === 'refunded_whole')
    .reduce((sum, { amount }) => sum + Math.abs(amount), 0);
  const atMost = ledger.total - fees.amount - disputeFees.amount;
  return (
    <>
      <dl class="ledger">
        <LedgerRow
          name={t('ledger.received')}
          note={whole > 0 && t('ledger.whole', { amount: money(whole, currency) })}
          amount={money(received.amount, currency)}
        />
        <LedgerRow name={t('ledger.refunded')} amount={less(refunded.amount, currency)} />
        {lost.amount > 0 && <LedgerRow name={t('ledger.lost')} amount={less(lost.amount, currency)} />}
        <LedgerRow sum name={t('ledger.total')} amount={money(ledger.total, currency)} />
        <LedgerRow
          name={t('ledger.fees')}
          note={
            feesUnknown > 0
              ? tn('closing.feesUnknown', feesUnknown)
              : feesElsewhere > 0 && tn('ledger.feesElsewhere', feesElsewhere)
          }
          amount={none ? t('ledger.unknown') : less(fees.amount, currency)}
        />
        {disputeFees.amount > 0 && (
          <LedgerRow name={t('ledger.disputeFees')} amount={less(disputeFees.amount, currency)} />
        )}
        <LedgerRow
          sum
          name={t('ledger.bank')}
          note={t('ledger.bankHint')}
          amount={
            bank !== null
              ? money(bank, currency)
              : feesElsewhere > 0
                ? t('ledger.unknown')
                : t('ledger.atMost', { amount: money(atMost, currency) })
          }
        />
      </dl>
      {pledged.count > 0 && (
        <dl class="ledger ledger--apart">
          <LedgerRow
            name={t('ledger.pledged')}
            note={t('ledger.notInTotal')}
            amount={money(pledged.amount, currency)}
          />
        </dl>
      )}
    </>
  );
}
