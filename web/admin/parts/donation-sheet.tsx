import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PaymentLink as PaymentLinkDto } from '../../../src/pledges/dto/pledge.dto.js';
import type { DonationStoryDto } from '../../../src/reporting/explain/dto/story.dto.js';
import type { HistoryEntryDto } from '../../../src/donations/dto/history.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { dateTime, money, t, word } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { pendingOf } from '../api/once.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { href } from '../router.js';
import { CorrectDialog, FulfilDialog } from './correct-dialog.js';
import {
  type Donation,
  DonationState,
  isOnline,
  keptOf,
  methodName,
  nameOf,
  REFERENCE_LABEL,
  refundable,
} from './donations.js';
import { DashboardLink, DisputeNote } from './disputes.js';
import { download } from './downloads.js';
import { useEvents } from './events.js';
import { History } from './history.js';
import { less, LedgerRow } from './ledger.js';
import { RefundDialog } from './refund-dialog.js';
import { StoryLines } from './story-lines.js';

type Open = 'correct' | 'refund' | 'fulfil' | 'undo' | 'link' | undefined;

/** One donation with its full history, next to the list. */
export function DonationSheet({
  id,
  known,
  onFresh,
  onClose,
}: {
  id: string;
  known: Donation | undefined;
  onFresh: (donation: Donation) => void;
  onClose: () => void;
}) {
  const story = useQuery<DonationStoryDto>(can('donations:history') ? `/donations/${id}/story` : null);
  const history = useQuery<readonly HistoryEntryDto[]>(
    can('donations:history') && story.error && isMissingRoute(story.error)
      ? `/donations/${id}/history`
      : null,
  );
  const donation: Donation | undefined = story.data?.donation ?? known;
  const [open, setOpen] = useState<Open>();
  const told = story.data?.donation;
  useEffect(() => {
    if (told) onFresh(told);
  }, [told]);
  if (!donation)
    return (
      <Dialog title={t('donation.one')} look="sheet" onClose={onClose}>
        {story.error ? (
          isMissingRoute(story.error) ? (
            <NotHere />
          ) : (
            <Failed error={story.error} retry={story.reload} />
          )
        ) : (
          <Skeleton />
        )}
      </Dialog>
    );
  const close = () => setOpen(undefined);
  const dashboardUrl = story.data?.payment?.dashboardUrl;
  return (
    <Dialog
      title={money(donation.amount, donation.currency)}
      subtitle={
        <>
          {nameOf(donation)} <DonationState donation={donation} />
        </>
      }
      look="sheet"
      onClose={onClose}
      actions={<Actions donation={donation} onOpen={setOpen} />}
    >
      <div class="stack stack--wide">
        {pendingOf(`refund.${donation.id}`) && (
          <p class="note note--warn">
            {t('refund.hasPending')}{' '}
            <button type="button" class="linkbutton" onClick={() => setOpen('refund')}>
              {t('refund.askAgain')}
            </button>
          </p>
        )}
        {donation.dispute?.status === 'open' && (
          <DisputeNote dispute={donation.dispute} dashboardUrl={dashboardUrl} />
        )}
        <Money donation={donation} story={story.data} error={story.error} />
        <Facts donation={donation} />
        <History
          entries={story.data?.history ?? history.data}
          names={story.data?.names}
          failed={history.error ?? (history.data ? undefined : story.error)}
        />
        {story.data && (
          <>
            <Payment payment={story.data.payment} />
            <StoryLines story={story.data} />
          </>
        )}
      </div>
      {open === 'correct' && <CorrectDialog donation={donation} onClose={close} />}
      {open === 'refund' && <RefundDialog donation={donation} dashboardUrl={dashboardUrl} onClose={close} />}
      {open === 'fulfil' && <FulfilDialog donation={donation} onClose={close} />}
      {open === 'undo' && <UndoDialog donation={donation} onClose={close} />}
      {open === 'link' && <PaymentLink donation={donation} onClose={close} />}
    </Dialog>
  );
}

function Actions({ donation, onOpen }: { donation: Donation; onOpen: (open: Open) => void }) {
  const { id, status, type } = donation;
  const isPledge = type === 'pledge' && status === 'PENDING';
  const canCancel = can('donations:cancel') && status !== 'CANCELLED' && status !== 'REFUNDED';
  const receipt = () =>
    download(`/export/receipts/${id}`, 'receipt.pdf').then((ok) => ok && changed('/donations'));
  const email = async () => {
    try {
      await api(`/donations/${id}/email-receipt`, { method: 'POST' });
      say(t('receipt.queued', { email: donation.donorEmail ?? '' }));
      changed(`/donations/${id}`);
    } catch (error) {
      if (isMissingRoute(error)) say(t('state.notHere'), 'bad');
      else sayError(error);
    }
  };
  return (
    <>
      {can('donations:correct') && (
        <button type="button" class="button button--quiet" onClick={() => onOpen('correct')}>
          {t('action.correct')}
        </button>
      )}
      {status === 'COMPLETED' && can('receipts:read') && (
        <button type="button" class="button button--quiet" onClick={() => void receipt()}>
          <Icon name="download" size={16} /> {t('receipt.one')}
        </button>
      )}
      {isPledge && can('donations:fulfil') && (
        <button type="button" class="button" onClick={() => onOpen('fulfil')}>
          {t('fulfil.open')}
        </button>
      )}
      {canCancel && (
        <button type="button" class="button button--quiet button--bad" onClick={() => onOpen('refund')}>
          {status === 'COMPLETED' ? t('refund.open') : t('refund.cancelOpen')}
        </button>
      )}
      {can('donations:correct') && (
        <Menu
          label={t('action.more')}
          class="button button--quiet button--icon"
          up
          items={[
            status === 'COMPLETED' &&
              donation.donorEmail !== null && { label: t('receipt.email'), onSelect: () => void email() },
            isPledge && { label: t('pledge.link'), onSelect: () => onOpen('link') },
            !isOnline(donation) &&
              (status === 'COMPLETED' || isPledge) && {
                label: t('undo.open'),
                onSelect: () => onOpen('undo'),
              },
            {
              label: t('action.copyId'),
              onSelect: () => void navigator.clipboard.writeText(id).then(() => say(t('action.copied'))),
            },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
    </>
  );
}

/** Label of the first row: the received or the expected amount. */
function nameOfAmount({ status, type, paidBy }: Donation): string {
  if (status === 'COMPLETED' || status === 'REFUNDED') return t('ledger.received');
  if (paidBy) return t('explain.pledge_paid');
  if (status === 'PENDING') return type === 'pledge' ? t('ledger.pledged') : t('explain.pending');
  return t(`donation.status.${status}`);
}

/** The ledger of one donation, with the same labels and order as the ledger of the event. */
function Money({
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

function Facts({ donation }: { donation: Donation }) {
  const { data: events = [] } = useEvents();
  const event = events.find(({ id }) => id === donation.eventId);
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    [t('donor.name'), nameOf(donation)],
    [t('field.email'), donation.donorEmail ?? '–'],
    [t('donation.inPublic'), donation.isAnonymous ? t('donation.hiddenLong') : t('donation.named')],
    [t('donation.message'), donation.message ?? '–'],
    [t('event.one'), event ? <a href={href(`events/${event.slug}`)}>{event.name}</a> : donation.eventId],
    [t('donation.kind'), word('type', donation.type)],
    ...(donation.method === undefined
      ? []
      : [[t('donation.method'), methodName(donation.method, donation.wallet)] as const]),
    ...(donation.staffName === null ? [] : [[t('donation.takenBy'), donation.staffName] as const]),
    ...(donation.paddle ? [[t('donation.paddle'), donation.paddle] as const] : []),
    ...(donation.reference
      ? [[t(REFERENCE_LABEL[donation.type] ?? 'donation.transferReference'), donation.reference] as const]
      : []),
    ...(donation.note ? [[t('donation.note'), donation.note] as const] : []),
    ...(donation.source ? [[t('donation.source'), donation.source] as const] : []),
    [t('donation.when'), dateTime(donation.recordedAt)],
    ...(donation.receiptNumber === null ? [] : [[t('receipt.number'), donation.receiptNumber] as const]),
    ...(donation.paidBy
      ? [
          [
            t('pledge.paidBy'),
            <a href={href(`donations/${donation.paidBy}`)}>{t('donation.one')}</a>,
          ] as const,
        ]
      : []),
  ];
  return (
    <section aria-label={t('donation.details')}>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** Ids of an online payment, to find the payment at its provider. */
const Payment = ({ payment }: { payment: DonationStoryDto['payment'] }) =>
  payment?.paymentId ? (
    <section aria-labelledby="payment">
      <h3 class="section__title" id="payment">
        {t('story.payment')}
      </h3>
      <dl class="facts">
        <dt>{t('story.provider')}</dt>
        <dd>{word('provider', payment.provider)}</dd>
        <dt>{t('story.paymentId')}</dt>
        <dd class="mono">{payment.paymentId}</dd>
      </dl>
      <DashboardLink url={payment.dashboardUrl} />
    </section>
  ) : null;

const UndoDialog = ({ donation, onClose }: { donation: Donation; onClose: () => void }) => (
  <ConfirmDialog
    title={t('undo.title')}
    confirm={t('undo.action', { amount: money(donation.amount, donation.currency) })}
    danger
    onClose={onClose}
    onConfirm={async () => {
      await api(`/donations/${donation.id}/undo`, { method: 'POST' });
      changed('/donations', '/events');
      say(t('undo.done', { amount: money(donation.amount, donation.currency) }));
    }}
  >
    <p>{t('undo.text', { amount: money(keptOf(donation), donation.currency) })}</p>
  </ConfirmDialog>
);

/** Payment link with which the donor pays the pledge online. */
function PaymentLink({ donation, onClose }: { donation: Donation; onClose: () => void }) {
  const [link, setLink] = useState<PaymentLinkDto>();
  const [problem, setProblem] = useState<string>();
  const make = () =>
    api<PaymentLinkDto>(`/donations/${donation.id}/payment-link`, {
      method: 'POST',
    }).then(setLink, (error: unknown) =>
      setProblem(isMissingRoute(error) ? t('state.notHere') : (error as Error).message),
    );
  return (
    <Dialog
      title={t('pledge.link')}
      onClose={onClose}
      actions={
        link ? (
          <button
            type="button"
            class="button"
            onClick={() => void navigator.clipboard.writeText(link.url).then(() => say(t('action.copied')))}
          >
            {t('action.copy')}
          </button>
        ) : (
          <button type="button" class="button" onClick={() => void make()}>
            {t('pledge.make')}
          </button>
        )
      }
    >
      <div class="stack">
        <p>{t('pledge.text', { amount: money(donation.amount, donation.currency) })}</p>
        {problem !== undefined && (
          <p class="note note--bad" role="alert">
            {problem}
          </p>
        )}
        {link && (
          <p class="note">
            <span class="mono">{link.url}</span>
            <br />
            {t('pledge.until', { time: dateTime(link.expiresAt) })}
          </p>
        )}
      </div>
    </Dialog>
  );
}
