import { useState } from 'preact/hooks';
import type { CancellationDto } from '../../../src/payments/refunds/dto/cancellation.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { MoneyField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { Problem, reasonOf, useSending } from '../../desk/sending.js';
import { dateTime, money, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { hasCode } from '../api/errors.js';
import { pendingOf, sendOnce } from '../api/once.js';
import { changed } from '../api/query.js';
import { discardDraft } from '../drafts.js';
import { DisputeNote } from './disputes.js';
import { type Donation, isOnline, keptOf, kindOf, nameOf, refundable } from './donations.js';
import { useForm } from './form.js';

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

interface RefundFields {
  readonly way: Way;
  readonly amount: number | null | undefined;
  readonly reason: string;
}

/** Name of the request, and of the form with its draft. */
const refundOf = (donation: Donation): string => `refund.${donation.id}`;
const isUnpaid = (donation: Donation): boolean => donation.status !== 'COMPLETED';
const titleOf = (donation: Donation): string =>
  isUnpaid(donation) ? t('refund.cancelTitle') : t('refund.title');
const subtitleOf = (donation: Donation): string =>
  `${nameOf(donation)} · ${money(donation.amount, donation.currency)}`;

/**
 * Refunds all or a part, or removes the amount from the books without a refund. The dialog first shows the effect on
 * the money. If the button is pressed twice or the connection is lost, there is still only one refund.
 */
export function RefundDialog({ donation, dashboardUrl, onClose }: RefundProps) {
  const name = refundOf(donation);
  /** The request that has no answer, and the reason of the last failure. */
  const [pending, setPending] = useState(() => pendingOf(name));
  const [failure, setFailure] = useState<string>();
  const send = async (body: Body) => {
    try {
      const answer = await sendOnce<CancellationDto>(name, `/donations/${donation.id}/cancel`, body);
      discardDraft(name);
      changed('/donations', '/events', '/review-items');
      say(outcome(donation, answer), answer.warning ? 'bad' : 'good');
      onClose();
    } catch (error) {
      // The dispute was opened after this page read the donation.
      if (hasCode(error, 'DONATION_DISPUTED')) changed('/donations');
      const now = pendingOf(name);
      // A request became pending, or stopped being pending, so another dialog replaces this one. That dialog
      // must show the reason.
      if ((now === undefined) !== (pending === undefined)) setFailure(reasonOf(error));
      setPending(now);
      throw error;
    }
  };
  if (pending)
    return (
      <PendingRefund
        donation={donation}
        body={pending.body as Body}
        startedAt={pending.startedAt}
        failure={failure}
        onSend={send}
        onClose={onClose}
      />
    );
  if (!isUnpaid(donation) && donation.dispute?.blocksRefund)
    return (
      <Dialog
        title={titleOf(donation)}
        subtitle={subtitleOf(donation)}
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
    <RefundForm
      donation={donation}
      dashboardUrl={dashboardUrl}
      failure={failure}
      onSend={send}
      onClose={onClose}
    />
  );
}

/** Text about the result of the request. */
function outcome(donation: Donation, answer: CancellationDto): string {
  const inMoney = (minor: number) => money(minor, donation.currency);
  if (answer.warning)
    return t('refund.doneKept', { amount: inMoney(keptOf(donation)), name: nameOf(donation) });
  if (!answer.refund) return t('refund.doneCancelled', { amount: inMoney(answer.amount) });
  const sum = inMoney(answer.refund.amount);
  if (answer.refund.status === 'failed') return t('refund.doneFailed', { amount: sum });
  return answer.refund.status === 'pending'
    ? t('refund.donePending', { amount: sum })
    : t('refund.done', { amount: sum });
}

interface PendingProps {
  readonly donation: Donation;
  readonly body: Body;
  readonly startedAt: number;
  readonly failure: string | undefined;
  readonly onSend: (body: Body) => Promise<void>;
  readonly onClose: () => void;
}

/** Repeats a request that has no answer yet. */
function PendingRefund({ donation, body, startedAt, failure, onSend, onClose }: PendingProps) {
  const { busy, problem, send } = useSending();
  return (
    <Dialog
      title={titleOf(donation)}
      subtitle={subtitleOf(donation)}
      onClose={onClose}
      actions={
        <button type="button" class="button" disabled={busy} onClick={() => void send(() => onSend(body))}>
          {busy ? t('state.working') : t('refund.askAgain')}
        </button>
      }
    >
      <div class="stack">
        <p class="note note--warn">
          {t('refund.unanswered', {
            amount: money(body.amount ?? refundable(donation), donation.currency),
            time: dateTime(startedAt),
          })}
        </p>
        <Problem text={busy ? undefined : (problem ?? failure)} />
      </div>
    </Dialog>
  );
}

interface FormProps extends RefundProps {
  readonly failure: string | undefined;
  readonly onSend: (body: Body) => Promise<void>;
}

/** The choice of the amount, with the reason. The browser keeps unsaved input. */
function RefundForm({ donation, dashboardUrl, failure, onSend, onClose }: FormProps) {
  const unpaid = isUnpaid(donation);
  const left = refundable(donation);
  const form = useForm<RefundFields>(refundOf(donation), titleOf(donation), {
    way: 'whole',
    amount: null,
    reason: '',
  });
  const [way, setWay] = form.field('way');
  const [amount, setAmount] = form.field('amount');
  const [reason, setReason] = form.field('reason');
  const inMoney = (minor: number) => money(minor, donation.currency);
  const part = typeof amount === 'number' && amount > 0 && amount <= left ? amount : undefined;
  const back = unpaid || way === 'books' ? 0 : way === 'whole' ? left : part;
  const body: Body = {
    shouldRefund: !unpaid && way !== 'books',
    ...(way === 'part' && !unpaid && part !== undefined && { amount: part }),
    ...(reason.trim() !== '' && { reason: reason.trim() }),
  };
  const submit = () => {
    if (unpaid) return t('refund.cancelAction');
    if (way === 'books') return t('refund.booksAction', { amount: inMoney(keptOf(donation)) });
    return back === undefined ? t('refund.title') : t('refund.action', { amount: inMoney(back) });
  };
  return (
    <FormDialog
      form={form}
      title={titleOf(donation)}
      subtitle={`${subtitleOf(donation)} · ${kindOf(donation)}`}
      submit={submit()}
      cancel={t('action.keep')}
      danger
      disabled={back === undefined}
      onSave={() => onSend(body)}
      onClose={onClose}
    >
      <Problem text={failure} />
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
        <p>{consequence(donation, way, back)}</p>
      </div>
    </FormDialog>
  );
}

/** Describes the effect of the refund on the money. */
function consequence(donation: Donation, way: Way, back: number | undefined): string {
  const inMoney = (minor: number) => money(minor, donation.currency);
  if (isUnpaid(donation)) return t('refund.willCancel', { amount: inMoney(donation.amount) });
  if (way === 'books')
    return t(isOnline(donation) ? 'refund.willBooksOnline' : 'refund.willBooks', {
      amount: inMoney(keptOf(donation)),
      name: nameOf(donation),
    });
  if (back === undefined || back === 0) return t('refund.willNothing');
  const values = { amount: inMoney(back), rest: inMoney(keptOf(donation) - back), name: nameOf(donation) };
  return t(isOnline(donation) ? 'refund.willOnline' : 'refund.willCash', values);
}
