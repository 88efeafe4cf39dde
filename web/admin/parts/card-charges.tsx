import { useState } from 'preact/hooks';
import type {
  CardBatchDto,
  CardBatchList,
  ReadyPledgeList,
} from '../../../src/pledges/dto/card-charge.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { Problem, useSending } from '../../desk/sending.js';
import { Empty, Failed, NotHere, Skeleton } from '../../desk/states.js';
import { dateTime, known, money, t, tn, word } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import type { DeskEvent } from './events.js';
import { MailOff } from './mail-off.js';

/** Charges of saved cards: first the e-mails to the guests, a day later the charges. */
export function CardCharges({ event, onClose }: { event: DeskEvent; onClose: () => void }) {
  const ready = useQuery<ReadyPledgeList>(`/card-charges/ready?eventId=${event.id}`);
  const batches = useQuery<CardBatchList>(`/card-charges?eventId=${event.id}`);
  const [isAsking, setAsking] = useState(false);
  const list = ready.data;
  const error = ready.error ?? batches.error;
  const open = batches.data?.data.find(({ state }) => state === 'waiting' || state === 'announced');
  const start = async () => {
    if (!list) return;
    const { pledges, total } = list;
    await api<CardBatchDto>('/card-charges', { method: 'POST', body: { eventId: event.id, pledges, total } });
    changed('/card-charges', '/pledges', '/emails');
    setAsking(false);
  };
  if (isAsking && list)
    return (
      <ConfirmDialog
        title={tn('cards.charge', list.pledges, { amount: money(list.total, list.currency) })}
        confirm={t('cards.announce')}
        onConfirm={start}
        onClose={() => setAsking(false)}
      >
        <p>{t('cards.steps')}</p>
        {list.needsSecondAdmin && <p class="note">{t('cards.second')}</p>}
        <MailOff />
      </ConfirmDialog>
    );
  return (
    <Dialog
      look="wide"
      title={t('cards.title')}
      subtitle={event.name}
      onClose={onClose}
      actions={
        can('pledges:charge') &&
        !open && (
          <button
            type="button"
            class="button"
            disabled={!list || list.pledges === 0}
            onClick={() => setAsking(true)}
          >
            {tn('cards.charge', list?.pledges ?? 0, { amount: list ? money(list.total, list.currency) : '' })}
          </button>
        )
      }
    >
      {error && (isMissingRoute(error) ? <NotHere /> : <Failed error={error} retry={ready.reload} />)}
      {!error && (!list || !batches.data) && <Skeleton rows={6} />}
      {batches.data?.data.map((batch) => (
        <Batch key={batch.id} batch={batch} />
      ))}
      {list && !open && list.data.length === 0 && <Empty icon="donations" title={t('cards.none')} />}
      {list && list.data.length > 0 && (
        <ul class="lines">
          {list.data.map((row) => (
            <li key={row.id} class="lines__row">
              <span>
                {[row.donorName, row.paddle && `${t('donation.paddle')} ${row.paddle}`]
                  .filter(Boolean)
                  .join(' · ')}
                <br />
                <small class="soft">
                  {row.obstacle === null
                    ? [t('cards.state.ready'), row.brand, row.last4 && `•••• ${row.last4}`]
                        .filter(Boolean)
                        .join(' · ')
                    : reasonOf(row.obstacle)}
                </small>
              </span>
              <strong class="number">{money(row.amount, row.currency)}</strong>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

/** A batch with its present step and the results so far. */
function Batch({ batch }: { batch: CardBatchDto }) {
  const sending = useSending();
  const act = (action: 'confirm' | 'stop') =>
    sending.send(async () => {
      await api(`/card-charges/${batch.id}/${action}`, { method: 'POST' });
      changed('/card-charges', '/pledges', '/emails');
    });
  const isOpen = batch.state === 'waiting' || batch.state === 'announced';
  return (
    <section class="stack">
      <h3>
        {t(`cards.batch.${batch.state}`, { noticed: String(batch.noticed), count: String(batch.pledges) })} ·{' '}
        {money(batch.total, batch.currency)}
      </h3>
      {batch.nextChargeAt !== null && <p>{t('cards.next', { time: dateTime(batch.nextChargeAt) })}</p>}
      <ul class="lines">
        {batch.charges.map(({ state, code, count, sum }) => (
          <li key={`${state}:${code}`} class="lines__row">
            <span>
              {count} × {word('cards.state', state)}
              {code !== null && `: ${reasonOf(code)}`}
            </span>
            <strong class="number">{money(sum, batch.currency)}</strong>
          </li>
        ))}
      </ul>
      <Problem text={sending.problem} />
      {isOpen && can('pledges:charge') && (
        <p class="actions">
          {batch.state === 'waiting' && (
            <button type="button" class="button" disabled={sending.busy} onClick={() => void act('confirm')}>
              {t('cards.confirm')}
            </button>
          )}
          <button
            type="button"
            class="button button--quiet button--bad"
            disabled={sending.busy}
            onClick={() => void act('stop')}
          >
            {t('cards.stop')}
          </button>
        </p>
      )}
    </section>
  );
}

/** The reason in words. The bank has many codes; the others are all a decline. */
export const reasonOf = (code: string): string => known('cards.reason', code) ?? t('cards.reason.other');
