import { useState } from 'preact/hooks';
import type { StatisticsDto } from '../../../src/evening/dto/statistics.dto.js';
import type { CurrencySummaryDto, EventSummaryDto, SumDto } from '../../../src/export/summary/summary.dto.js';
import type { EventDetailDto } from '../../../src/events/dto/event-totals.dto.js';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { Icon, type IconName } from '../../desk/icons.js';
import { Empty, Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { date, dateTime, money, number, percent, t, time, tn, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api, queryOf } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { download } from '../parts/downloads.js';
import { EventPicker } from '../parts/event-picker.js';
import { type DeskEvent, STATUS_TONE, useEvent } from '../parts/events.js';
import { ExplainButton } from '../parts/explain.js';
import { RoundsAfter } from '../parts/pledge-rounds.js';
import { href } from '../router.js';

/** The morning after: what came, from whom and how, the files, and the door shut. */
export function Closing() {
  const { event, events, loading, error } = useEvent();
  if (loading) return <Skeleton />;
  if (error && !event) return <Failed error={error} />;
  if (!event)
    return (
      <>
        <header class="page__head">
          <h1 class="page__name">{t('nav.closing')}</h1>
        </header>
        <Empty icon="events" title={t('event.none')}>
          {can('events:create') && <a href={href('events', { new: '1' })}>{t('first.event')}</a>}
        </Empty>
      </>
    );
  return <ClosingOf key={event.id} event={event} events={events} />;
}

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
            {summary.error &&
              (isMissingRoute(summary.error) ? (
                <NotHere />
              ) : (
                <Failed error={summary.error} retry={summary.reload} />
              ))}
          </section>
          {summary.data?.currencies.map((block) => (
            <Block key={block.currency} block={block} />
          ))}
          <RoundsAfter event={event} />
          {can('donations:export') && <Hours event={event} events={events} />}
        </div>
        <div class="columns__side">
          <Checklist event={event} />
          <Files event={event} hasSummary={summary.data !== undefined} />
          {summary.data && <Payouts summary={summary.data} />}
        </div>
      </div>
      {closing && (
        <ConfirmDialog
          title={t('closing.closeTitle', { name: event.name })}
          confirm={t('event.to.closed')}
          onClose={() => setClosing(false)}
          onConfirm={async () => {
            await api(`/events/${event.id}`, { method: 'PATCH', body: { status: 'closed' } });
            changed('/events');
            say(t('event.isNow', { name: event.name, state: t('event.status.closed') }));
          }}
        >
          <p>{t('event.meaning.closed')}</p>
          <p>{t('closing.reopen')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** What is better done before the books are called closed. */
function Checklist({ event }: { event: DeskEvent }) {
  const pledges = useQuery<{ total?: number }>(
    `/donations?eventId=${event.id}&type=pledge&status=PENDING&limit=1`,
  );
  const open = useQuery<{ total?: number }>(`/donations?eventId=${event.id}&status=PENDING&limit=1`);
  const waiting = useQuery<readonly unknown[]>(`/donations/messages?eventId=${event.id}&limit=200`);
  const pledged = pledges.data?.total ?? 0;
  const lines = [
    {
      key: 'state',
      ok: event.status === 'closed',
      text: t(event.status === 'closed' ? 'closing.isClosed' : 'closing.isOpen'),
      to: undefined,
    },
    {
      key: 'pledges',
      ok: pledged === 0,
      text: pledged === 0 ? t('closing.noPledges') : tn('closing.pledges', pledged),
      to: href('donations', { event: event.slug, type: 'pledge', status: 'PENDING' }),
    },
    {
      key: 'open',
      ok: (open.data?.total ?? 0) - pledged === 0,
      text:
        (open.data?.total ?? 0) - pledged === 0
          ? t('closing.noOpen')
          : tn('closing.openPayments', (open.data?.total ?? 0) - pledged),
      to: href('donations', { event: event.slug, status: 'PENDING' }),
    },
    {
      key: 'messages',
      ok: (waiting.data?.length ?? 0) === 0,
      text:
        (waiting.data?.length ?? 0) === 0
          ? t('closing.noMessages')
          : tn('closing.messages', waiting.data?.length ?? 0),
      to: href('tonight', { event: event.slug }),
    },
  ];
  return (
    <section class="panel" aria-labelledby="checklist">
      <h2 class="panel__title" id="checklist">
        {t('closing.checklist')}
      </h2>
      <ul class="lines">
        {lines.map(({ key, ok, text, to }) => (
          <li key={key} class="lines__row">
            <span>{!ok && to !== undefined ? <a href={to}>{text}</a> : text}</span>
            <Pill tone={ok ? 'good' : 'warn'}>{ok ? t('closing.ok') : t('closing.todo')}</Pill>
          </li>
        ))}
      </ul>
    </section>
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
      `/donations/export${id}&format=people`,
      `${event.slug}.csv`,
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

function Block({ block }: { block: CurrencySummaryDto }) {
  const inMoney = (amount: number) => money(amount, block.currency);
  const parts: readonly (readonly [string, readonly (readonly [string, SumDto])[]])[] = [
    [t('closing.byKind'), block.byType.map((row) => [word('type', row.type), row] as const)],
    [
      t('closing.byPerson'),
      block.byStaff.map((row) => [row.staffName ?? t('donation.online'), row] as const),
    ],
    [t('closing.byTerminal'), block.byTerminal.map((row) => [row.terminalName ?? '–', row] as const)],
    [t('closing.byHour'), block.byHour.map((row) => [time(row.from), row] as const)],
  ];
  const all = block.online.net + block.offline.net;
  return (
    <section class="panel" aria-label={block.currency.toUpperCase()}>
      <h2 class="panel__title">{block.currency.toUpperCase()}</h2>
      <dl class="ledger">
        <dt>{t('closing.online', { part: percent(all === 0 ? 0 : block.online.net / all) })}</dt>
        <dd class="number">{inMoney(block.online.net)}</dd>
        <dt>{t('closing.offline')}</dt>
        <dd class="number">{inMoney(block.offline.net)}</dd>
        <dt>{t('donation.refunded')}</dt>
        <dd class="number">−{inMoney(block.refunds.amount)}</dd>
        <dt>
          {t('closing.fees')}
          {block.fees.unknown > 0 && (
            <span class="lines__meta"> · {tn('closing.feesUnknown', block.fees.unknown)}</span>
          )}
        </dt>
        <dd class="number">{inMoney(block.fees.amount)}</dd>
        <dt class="ledger__sum">{t('donation.counts')}</dt>
        <dd class="ledger__sum number">{inMoney(block.net)}</dd>
      </dl>
      {parts
        .filter(([, rows]) => rows.length > 0)
        .map(([title, rows]) => (
          <table key={title} class="sum gap">
            <caption class="section__title">{title}</caption>
            <thead class="visually-hidden">
              <tr>
                <th scope="col">{title}</th>
                <th scope="col">{t('donation.many')}</th>
                <th scope="col">{t('donation.amount')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([name, row], index) => (
                <tr key={index}>
                  <th scope="row">{name}</th>
                  <td>{number(row.count)}</td>
                  <td class="number">{inMoney(row.net)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
    </section>
  );
}

function Payouts({ summary }: { summary: EventSummaryDto }) {
  const rows = summary.payouts.data;
  return (
    <section class="panel" aria-labelledby="payouts">
      <h2 class="panel__title" id="payouts">
        {t('closing.payouts')}
      </h2>
      {rows.length === 0 && <p class="field__hint">{t('closing.noPayouts')}</p>}
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

/** How the evening went, beside an earlier one. */
function Hours({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const [other, setOther] = useState('');
  const { data, error } = useQuery<StatisticsDto>(
    `/statistics${queryOf({ eventId: event.id, compareTo: other })}`,
  );
  if (error) return null;
  return (
    <section class="panel" aria-labelledby="hours">
      <header class="panel__head">
        <h2 class="panel__title" id="hours">
          {t('closing.course')}
        </h2>
        <label class="filters__choice">
          <span class="visually-hidden">{t('closing.compare')}</span>
          <select
            class="input select"
            value={other}
            onChange={({ currentTarget }) => setOther(currentTarget.value)}
          >
            <option value="">{t('closing.compare')}</option>
            {events
              .filter(({ id }) => id !== event.id)
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
        </label>
      </header>
      {!data && <Skeleton rows={3} />}
      {data?.byCurrency.length === 0 && <p class="field__hint">{t('donation.none')}</p>}
      {data?.byCurrency.map((one) => {
        const then = data.compareTo?.byCurrency.find(({ currency }) => currency === one.currency);
        const most = Math.max(
          1,
          ...one.byHour.map(({ amount }) => amount),
          ...(then?.byHour ?? []).map(({ amount }) => amount),
        );
        return (
          <table key={one.currency} class="hours">
            <caption>
              {t('closing.average', {
                average: money(one.average, one.currency),
                median: money(one.median, one.currency),
                largest: money(one.largest, one.currency),
              })}
            </caption>
            <thead>
              <tr>
                <th scope="col">{t('closing.hour')}</th>
                <th scope="col">{event.name}</th>
                {then && <th scope="col">{data.compareTo?.event.name}</th>}
              </tr>
            </thead>
            <tbody>
              {one.byHour.map((hour) => {
                const before = then?.byHour.find(({ index }) => index === hour.index);
                return (
                  <tr key={hour.index}>
                    <th scope="row">{time(hour.from)}</th>
                    <td>
                      <Bar amount={hour.amount} most={most} currency={one.currency} />
                    </td>
                    {then && (
                      <td>
                        <Bar amount={before?.amount ?? 0} most={most} currency={one.currency} />
                      </td>
                    )}
                  </tr>
                );
              })}
            </tbody>
          </table>
        );
      })}
    </section>
  );
}

const Bar = ({ amount, most, currency }: { amount: number; most: number; currency: string }) => (
  <span class="bar">
    <span class="bar__fill" style={{ width: `${Math.round((amount / most) * 100)}%` }} />
    <span class="bar__text number">{money(amount, currency, { short: true })}</span>
  </span>
);
