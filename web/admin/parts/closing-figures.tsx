import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type {
  StatisticsDto,
  StatisticsSourceDto,
} from '../../../src/reporting/evening/dto/statistics.dto.js';
import type { CurrencySummaryDto, SumDto, TypeSumDto } from '../../../src/reporting/summary/summary.dto.js';
import { Failed, Skeleton } from '../../desk/states.js';
import { dateTime, money, number, t, time, word } from '../../desk/texts.js';
import { queryOf } from '../api/client.js';
import { useQuery } from '../api/query.js';
import { methodName } from './donations.js';
import type { DeskEvent } from './events.js';
import { Ledger, LedgerRow } from './ledger.js';

/** Number of rows drawn at once: a year-long event has thousands of hours. */
const STEP = 96;
const DAY_MS = 86_400_000;

/** Returns the label of an hour: the time only if all hours are within one day, otherwise date and time. */
const hourOf = (hours: readonly { from: string }[]): ((from: string) => string) => {
  const [first, last] = [hours[0], hours.at(-1)];
  const isOneDay = !first || !last || Date.parse(last.from) - Date.parse(first.from) < DAY_MS;
  return isOneDay ? time : dateTime;
};

/** The amount raised in one currency, grouped in several ways. */
export function CurrencyFigures({ block }: { block: CurrencySummaryDto }) {
  const inMoney = (amount: number) => money(amount, block.currency);
  const parts: readonly (readonly [string, readonly SumRow[]])[] = [
    [
      t('closing.byPlace'),
      [[t('closing.online'), block.online] as const, [t('closing.offline'), block.offline] as const].filter(
        ([, { count }]) => count > 0,
      ),
    ],
    [t('closing.byKind'), block.byType.flatMap(kindRows)],
    [
      t('closing.byPerson'),
      block.byStaff.map((row) => [row.staffName ?? t('closing.noMember'), row] as const),
    ],
    [
      t('closing.byTerminal'),
      block.byTerminal.map((row) => [row.terminalName ?? t('closing.noTerminal'), row] as const),
    ],
    [t('closing.byHour'), block.byHour.map((row) => [hourOf(block.byHour)(row.from), row] as const)],
  ];
  return (
    <section class="panel" aria-label={block.currency.toUpperCase()}>
      <h2 class="panel__title">{block.currency.toUpperCase()}</h2>
      <Ledger explained={block.explained} />
      {(block.refunds.pending > 0 || block.disputes.openAmount > 0) && (
        <dl class="ledger ledger--apart">
          {block.refunds.pending > 0 && (
            <LedgerRow
              name={t('donation.onItsWay')}
              note={t('ledger.stillIn')}
              amount={inMoney(block.refunds.pending)}
            />
          )}
          {block.disputes.openAmount > 0 && (
            <LedgerRow
              name={t('refund.status.open')}
              note={t('ledger.stillIn')}
              amount={inMoney(block.disputes.openAmount)}
            />
          )}
        </dl>
      )}
      {parts
        .filter(([, rows]) => rows.length > 0)
        .map(([title, rows]) => (
          <SumTable key={title} title={title} rows={rows} inMoney={inMoney} />
        ))}
    </section>
  );
}

/** Donations by the link or code that led the donor to the donate page. Absent if no donor used one. */
function Sources({ rows, currency }: { rows: readonly StatisticsSourceDto[]; currency: string }) {
  if (rows.every(({ source }) => source === null)) return null;
  return (
    <SumTable
      title={t('closing.bySource')}
      rows={rows.map(({ source, count, amount }) => [
        source ?? t('closing.noSource'),
        { count, net: amount },
      ])}
      inMoney={(amount) => money(amount, currency)}
    />
  );
}

/** The row of a kind, and below it the rows of its payment methods. */
const kindRows = ({ type, methods, ...sum }: TypeSumDto): SumRow[] => [
  [word('type', type), sum],
  ...methods.map(({ method, wallet, ...part }): SumRow => {
    const name = method === null ? t('closing.methodUnknown') : methodName(method, wallet);
    return [name, part, 'part'];
  }),
];

/** A label with its sum. `part` marks a sum that the row above includes. */
type SumRow = readonly [name: string, sum: Pick<SumDto, 'count' | 'net'>, isPart?: 'part'];

interface SumTableProps {
  readonly title: string;
  readonly rows: readonly SumRow[];
  readonly inMoney: (amount: number) => string;
}

function SumTable({ title, rows, inMoney }: SumTableProps) {
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <table class="sum gap">
        <caption class="section__title">{title}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">{t('donation.many')}</th>
            <th scope="col">{t('donation.amount')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map(([name, row, part], index) => (
            <tr key={index} class={part && 'sum__part'}>
              <th scope="row">{name}</th>
              <td>{number(row.count)}</td>
              <td class="number">{inMoney(row.net)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More left={rows.length - shown} onMore={() => setShown(shown + STEP)} />
    </>
  );
}

const More = ({ left, onMore }: { left: number; onMore: () => void }) =>
  left <= 0 ? null : (
    <p class="panel__links">
      <button type="button" class="button button--quiet" onClick={onMore}>
        {t('action.showMore', { count: number(left) })}
      </button>
    </p>
  );

/** Donations over the evening, compared with an earlier event. */
export function Hours({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const [other, setOther] = useState('');
  const [shown, setShown] = useState(STEP);
  const { data, error, reload } = useQuery<StatisticsDto>(
    `/statistics${queryOf({ eventId: event.id, compareTo: other })}`,
  );
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
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.byCurrency.length === 0 && <p class="field__hint">{t('donation.none')}</p>}
      {data?.byCurrency.map((one) => {
        const then = data.compareTo?.byCurrency.find(({ currency }) => currency === one.currency);
        const most = [...one.byHour, ...(then?.byHour ?? [])].reduce(
          (so, { amount }) => Math.max(so, amount),
          1,
        );
        const earlier = new Map(then?.byHour.map((hour) => [hour.index, hour.amount]));
        const lastHour = Math.max(...earlier.keys());
        const nameOfHour = hourOf(one.byHour);
        return (
          <Fragment key={one.currency}>
            <table class="hours">
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
                {one.byHour.slice(0, shown).map((hour) => (
                  <tr key={hour.index}>
                    <th scope="row">{nameOfHour(hour.from)}</th>
                    <td>
                      <Bar amount={hour.amount} most={most} currency={one.currency} />
                    </td>
                    {then && (
                      <td>
                        {hour.index > lastHour ? (
                          // The earlier event had ended before this hour, or has not reached it yet, so there
                          // is no figure for this hour.
                          '–'
                        ) : (
                          <Bar amount={earlier.get(hour.index) ?? 0} most={most} currency={one.currency} />
                        )}
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
            <More left={one.byHour.length - shown} onMore={() => setShown(shown + STEP)} />
            <Sources rows={one.bySource} currency={one.currency} />
          </Fragment>
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
