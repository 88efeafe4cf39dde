import { useState } from 'preact/hooks';
import type { CancellationDto } from '../../../src/payments/refunds/dto/cancellation.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { MoneyField, TextField } from '../../desk/fields.js';
import { dateTime, money, t, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { hasCode } from '../api/errors.js';
import { pendingOf, sendOnce } from '../api/once.js';
import { changed } from '../api/query.js';
import { DisputeNote } from './disputes.js';
import { type Donation, isOnline, keptOf, nameOf, refundable } from './donations.js';

interface RefundProps {
  readonly donation: Donation;
  /** Address of the payment in the provider's dashboard. */
  readonly dashboardUrl: string | undefined;
  readonly onClose: () => void;
}

interface Body {
  readonly shouldRefund: boolean;
  readonly amount?: number;
  readonly reason?: string;
}

type Way = 'whole' | 'part' | 'books';

/**
 * Refunds all or a part, or removes the amount from the books without a refund. The dialog first shows the effect on
 * the money. If the button is pressed twice or the connection is lost, there is still only one refund.
 */
export function RefundDialog({ donation, dashboardUrl, onClose }: RefundProps) {
  const name = `refund.${donation.id}`;
  const pending = pendingOf(name);
  const left = refundable(donation);
  const [way, setWay] = useState<Way>('whole');
  const [amount, setAmount] = useState<number | null | undefined>(null);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const unpaid = donation.status !== 'COMPLETED';
  const inMoney = (minor: number) => money(minor, donation.currency);
  const back = unpaid || way === 'books' ? 0 : way === 'whole' ? left : (amount ?? 0);
  const isValid =
    unpaid || way !== 'part' || (amount !== undefined && amount !== null && amount > 0 && amount <= left);

  const send = async (body: Body) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const answer = await sendOnce<CancellationDto>(name, `/donations/${donation.id}/cancel`, body);
      changed('/donations', '/events', '/review-items');
      say(outcome(answer), answer.warning ? 'bad' : 'good');
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      // The dispute was opened after this page read the donation.
      if (hasCode(error, 'DONATION_DISPUTED')) changed('/donations');
      setBusy(false);
    }
  };

  const outcome = (answer: CancellationDto): string => {
    if (answer.warning)
      return t('refund.doneKept', { amount: inMoney(keptOf(donation)), name: nameOf(donation) });
    if (!answer.refund) return t('refund.doneCancelled', { amount: inMoney(answer.amount) });
    const sum = inMoney(answer.refund.amount);
    if (answer.refund.status === 'failed') return t('refund.doneFailed', { amount: sum });
    return answer.refund.status === 'pending'
      ? t('refund.donePending', { amount: sum })
      : t('refund.done', { amount: sum });
  };

  const body: Body = {
    shouldRefund: !unpaid && way !== 'books',
    ...(way === 'part' && !unpaid && typeof amount === 'number' && { amount }),
    ...(reason.trim() !== '' && { reason: reason.trim() }),
  };
  const title = unpaid ? t('refund.cancelTitle') : t('refund.title');

  if (pending)
    return (
      <Dialog
        title={title}
        subtitle={`${nameOf(donation)} · ${inMoney(donation.amount)}`}
        onClose={onClose}
        actions={
          <button
            type="button"
            class="button"
            disabled={busy}
            onClick={() => void send(pending.body as Body)}
          >
            {busy ? t('state.working') : t('refund.askAgain')}
          </button>
        }
      >
        <div class="stack">
          <p class="note note--warn">
            {t('refund.unanswered', {
              amount: inMoney((pending.body as Body).amount ?? left),
              time: dateTime(pending.startedAt),
            })}
          </p>
          {problem !== undefined && (
            <p class="note note--bad" role="alert">
              {problem}
            </p>
          )}
        </div>
      </Dialog>
    );

  if (!unpaid && donation.dispute?.blocksRefund)
    return (
      <Dialog
        title={title}
        subtitle={`${nameOf(donation)} · ${inMoney(donation.amount)}`}
        onClose={onClose}
        actions={
          <button type="button" class="button" onClick={onClose}>
            {t('action.close')}
          </button>
        }
      >
        <DisputeNote dispute={donation.dispute} dashboardUrl={dashboardUrl} />
      </Dialog>
    );

  return (
    <Dialog
      title={title}
      subtitle={`${nameOf(donation)} · ${inMoney(donation.amount)} · ${word('type', donation.type)}`}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button button--quiet" onClick={onClose}>
            {t('action.keep')}
          </button>
          <button type="submit" form="refund" class="button button--danger" disabled={busy || !isValid}>
            {busy
              ? t('state.working')
              : unpaid
                ? t('refund.cancelAction')
                : way === 'books'
                  ? t('refund.booksAction', { amount: inMoney(keptOf(donation)) })
                  : isValid
                    ? t('refund.action', { amount: inMoney(back) })
                    : t('refund.title')}
          </button>
        </>
      }
    >
      <form
        id="refund"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid && !busy) void send(body);
        }}
      >
        {!unpaid && donation.dispute?.status === 'open' && (
          <DisputeNote dispute={donation.dispute} dashboardUrl={dashboardUrl} />
        )}
        {!unpaid && (
          <fieldset class="choices">
            <legend class="field__label">{t('refund.how')}</legend>
            {(['whole', 'part', 'books'] as const).map((one) => (
              <label key={one} class={way === one ? 'choice choice--chosen' : 'choice'}>
                <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
                <span>
                  <strong>{t(`refund.${one}`, { amount: inMoney(left) })}</strong>
                  {one === 'books' && <span class="choice__text">{t('refund.booksText')}</span>}
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {!unpaid && way === 'part' && (
          <MoneyField
            label={t('refund.amount')}
            currency={donation.currency}
            value={amount ?? null}
            onValue={setAmount}
            hint={t('refund.most', { amount: inMoney(left) })}
            error={
              typeof amount === 'number' && amount > left
                ? t('refund.tooMuch', { amount: inMoney(left) })
                : undefined
            }
            autoFocus
          />
        )}
        <TextField
          label={t('refund.reason')}
          hint={t('refund.reasonHint')}
          value={reason}
          maxLength={500}
          onValue={setReason}
          optional
        />
        <div class="note note--warn" role="status">
          <p>{consequence(donation, unpaid, way, back)}</p>
        </div>
        {problem !== undefined && (
          <p class="note note--bad" role="alert">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** Describes the effect of the refund on the money. */
function consequence(donation: Donation, unpaid: boolean, way: Way, back: number): string {
  const inMoney = (minor: number) => money(minor, donation.currency);
  if (unpaid) return t('refund.willCancel', { amount: inMoney(donation.amount) });
  if (way === 'books')
    return t(isOnline(donation) ? 'refund.willBooksOnline' : 'refund.willBooks', {
      amount: inMoney(keptOf(donation)),
      name: nameOf(donation),
    });
  if (back <= 0 || back > refundable(donation)) return t('refund.willNothing');
  const values = { amount: inMoney(back), rest: inMoney(keptOf(donation) - back), name: nameOf(donation) };
  return t(isOnline(donation) ? 'refund.willOnline' : 'refund.willCash', values);
}
