import { useState } from 'preact/hooks';
import { fillText } from '../../../src/common/text/fill-text.js';
import type { EventSummaryDto } from '../../../src/reporting/summary/summary.dto.js';
import type { EventDetailDto } from '../../../src/events/dto/event.dto.js';
import { Icon, type IconName } from '../../desk/icons.js';
import { Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { date, dateTime, known, money, t, tn, word } from '../../desk/texts.js';
import { queryOf } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';
import { spokenLanguage } from '../languages.js';
import { can } from '../me.js';
import { CashByShift } from '../parts/closing-cash.js';
import { Checklist } from '../parts/checklist.js';
import { IncompleteReceipts } from '../parts/incomplete-receipts.js';
import { download } from '../parts/downloads.js';
import { ChangeDialog } from '../parts/edit-conflict.js';
import { EventPicker } from '../parts/event-picker.js';
import { type DeskEvent, moveEvent, STATUS_TONE } from '../parts/events.js';
import { ExplainButton } from '../parts/explain.js';
import { HeldByProviders } from '../parts/provider-balances.js';
import { PledgeMoney } from '../parts/pledge-money.js';
import { RoundsAfter } from '../parts/pledge-rounds.js';
import { CurrencyFigures, Hours } from '../parts/closing-figures.js';
import { WithEvent } from '../parts/with-event.js';

/** After the event: the figures, the files, and the button that closes the event. */
export const Closing = () => (
  <WithEvent title={t('nav.closing')}>
    {(event, events) => <ClosingOf key={event.id} event={event} events={events} />}
  </WithEvent>
);

function ClosingOf({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const detail = useQuery<EventDetailDto>(`/events/${event.id}`);
  const summary = useQuery<EventSummaryDto>(`/events/${event.id}/summary`);
  const [closing, setClosing] = useState(false);
  const canClose = can('events:update') && (event.status === 'active' || event.status === 'paused');
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <h1 class="visually-hidden">{`${t('nav.closing')}: ${event.name}`}</h1>
          <EventPicker event={event} events={events} />
          <Pill tone={STATUS_TONE[event.status]}>{t(`event.status.${event.status}`)}</Pill>
        </div>
        {canClose && (
          <button type="button" class="button" onClick={() => setClosing(true)}>
            {t('event.to.closed')}
          </button>
        )}
      </header>
      <div class="columns">
        <div class="columns__side">
          <section class="panel" aria-labelledby="figures">
            <header class="panel__head">
              <h2 class="panel__title" id="figures">
                {t('closing.figures')}
              </h2>
              {summary.data && (
                <span class="panel__count">{t('live.asOf', { time: dateTime(summary.data.asOf) })}</span>
              )}
            </header>
            {(detail.data?.totals ?? []).map((total) => (
              <p key={total.currency} class="figure">
                <span class="total__amount total__amount--small number">
                  {money(total.totalRaised, total.currency)}
                </span>{' '}
                <span class="lines__meta">{tn('donor.count', total.donorCount)}</span>{' '}
                <ExplainButton eventId={event.id} currency={total.currency} name={event.name} />
              </p>
            ))}
            {!detail.data && !detail.error && <Skeleton rows={1} />}
            {detail.error && <Failed error={detail.error} retry={detail.reload} />}
            {summary.error &&
              (isMissingRoute(summary.error) ? (
                <NotHere />
              ) : (
                <Failed error={summary.error} retry={summary.reload} />
              ))}
          </section>
          {summary.data?.currencies.map((block) => (
            <CurrencyFigures key={block.currency} block={block} />
          ))}
          {summary.data && <CashByShift event={event} shifts={summary.data.cash} />}
          <PledgeMoney event={event} />
          <RoundsAfter event={event} />
          {can('donations:export') && <Hours event={event} events={events} />}
        </div>
        <div class="columns__side">
          <Checklist event={event} />
          <Files event={event} hasSummary={summary.data !== undefined} />
          <IncompleteReceipts event={event} />
          {summary.data && <Payouts summary={summary.data} />}
          <HeldByProviders />
        </div>
      </div>
      {closing && (
        <ChangeDialog
          title={t('closing.closeTitle', { name: event.name })}
          confirm={t('event.to.closed')}
          read={{ status: event.status }}
          onClose={() => setClosing(false)}
          onConfirm={(expected) => moveEvent(event, 'closed', expected)}
        >
          <p>{t('event.meaning.closed')}</p>
          <p>{t('closing.reopen')}</p>
        </ChangeDialog>
      )}
    </>
  );
}

function Files({ event, hasSummary }: { event: DeskEvent; hasSummary: boolean }) {
  const id = queryOf({ eventId: event.id });
  const files: readonly (readonly [IconName, string, string, string, boolean])[] = [
    [
      'closing',
      t('closing.receipts'),
      `/export/receipts/zip${id}`,
      `receipts-${event.slug}.zip`,
      can('receipts:export'),
    ],
    [
      'closing',
      t('export.people'),
      `/donations/export${id}&format=xlsx&language=${spokenLanguage()}`,
      `${event.slug}.xlsx`,
      can('donations:export'),
    ],
    ['closing', t('export.machine'), `/donations/export${id}`, `${event.slug}.csv`, can('donations:export')],
    [
      'closing',
      t('closing.summaryPdf'),
      `/events/${event.id}/summary?format=pdf`,
      `${event.slug}.pdf`,
      hasSummary,
    ],
    [
      'closing',
      t('closing.summaryCsv'),
      `/events/${event.id}/summary?format=csv`,
      `${event.slug}-summary.csv`,
      hasSummary,
    ],
  ];
  return (
    <section class="panel" aria-labelledby="files">
      <h2 class="panel__title" id="files">
        {t('closing.files')}
      </h2>
      <ul class="lines">
        {files
          .filter(([, , , , isThere]) => isThere)
          .map(([icon, text, path, name]) => (
            <li key={path} class="lines__row">
              <span class="withicon">
                <Icon name={icon} /> {text}
              </span>
              <button
                type="button"
                class="button button--quiet button--small"
                aria-label={`${t('action.download')}: ${text}`}
                onClick={() => void download(path, name)}
              >
                <Icon name="download" size={15} /> {t('action.download')}
              </button>
            </li>
          ))}
      </ul>
    </section>
  );
}

function Payouts({ summary }: { summary: EventSummaryDto }) {
  const { data: rows, unknown } = summary.payouts;
  return (
    <section class="panel" aria-labelledby="payouts">
      <h2 class="panel__title" id="payouts">
        {t('closing.payouts')}
      </h2>
      {rows.length === 0 && unknown.length === 0 && <p class="field__hint">{t('closing.noPayouts')}</p>}
      {unknown.map(({ provider, reason }) => (
        <p key={provider} class="field__hint">
          {fillText(known('payoutUnknown', reason) ?? `${provider}: ${reason}`, {
            provider: word('provider', provider),
          })}
        </p>
      ))}
      <ul class="lines">
        {rows.map((payout) => (
          <li key={payout.payoutId} class="lines__row">
            <span>
              <strong class="number">{money(payout.amount, payout.currency)}</strong>{' '}
              <span class="lines__meta">
                {word('provider', payout.provider)} · {payout.payoutId}
              </span>
              {payout.difference !== null && payout.difference !== 0 && (
                <span class="field__error">
                  {' '}
                  {t('shift.difference', { amount: money(payout.difference, payout.currency) })}
                </span>
              )}
            </span>
            <span class="lines__meta">{t('closing.arrives', { date: date(payout.arrivesAt) })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
