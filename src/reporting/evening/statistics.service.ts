import { Injectable } from '@nestjs/common';
import { reachesEvent, type Principal } from '../../common/access/principal.js';
import { localIso } from '../../common/text/local-time.js';
import { Database, type SqlExecutor } from '../../data/database.js';
import type { DonationType } from '../../donations/store/donation-columns.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound, type EventRecord } from '../../events/event-record.js';
import type { CurrencyTotal } from '../../events/event-totals.service.js';
import { boundedSums } from '../explain/bounded-sums.js';
import { SettingsService } from '../../settings/settings.service.js';
import { OF_EVENT } from '../../totals/totals.sql.js';
import type {
  EventStatisticsDto,
  StatisticsCurrencyDto,
  StatisticsDto,
  StatisticsQuery,
} from './dto/statistics.dto.js';
import { methodsOf } from '../methods/methods-of.js';
import { toJsonAmount } from '../../common/money/money.js';
import { STATISTICS } from './tonight.sql.js';

const HOUR_MS = 3_600_000;

interface StatisticsRow {
  readonly eventId: string;
  readonly currency: string;
  readonly part: 'type' | 'method' | 'hour' | 'terminal' | 'source' | 'all';
  readonly type: DonationType | null;
  readonly method: string | null;
  readonly wallet: string | null;
  readonly hour: Date | null;
  readonly terminalId: string | null;
  readonly terminalName: string | null;
  readonly source: string | null;
  readonly count: number;
  readonly amount: bigint;
  readonly largest: bigint;
  readonly median: bigint | null;
}

/** Statistics on the time and kind of donations. They can include a second event for comparison. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` for either event, UnavailableError `SUMS_TOO_SLOW` */
  async of(caller: Principal, { eventId, compareTo }: StatisticsQuery): Promise<StatisticsDto> {
    const event = await this.found(caller, eventId);
    const earlier = compareTo ? await this.found(caller, compareTo) : undefined;
    const events = earlier && earlier.id !== event.id ? [event, earlier] : [event];
    const timezones = await Promise.all(
      events.map(async ({ overrides }) => (await this.settings.effective(overrides)).timezone),
    );
    return await boundedSums(() =>
      this.database.snapshot(async (db) => {
        const ids = events.map(({ id }) => id);
        const rows = await db.query<StatisticsRow>(STATISTICS, [ids, timezones]);
        const both = await Promise.all(
          events.map((one, index) => statisticsOf(db, one, timezones[index] ?? 'UTC', rows)),
        );
        const [own = nothingOf(event), other = null] = both;
        const { byCurrency } = own;
        return { event: own.event, byCurrency, compareTo: earlier?.id === event.id ? own : other };
      }),
    );
  }

  private async found(caller: Principal, ref: string): Promise<EventRecord> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event;
  }
}

const toEvent = ({ id, name, date, currency }: EventRecord, timezone: string) => ({
  id,
  name,
  date: date.toISOString(),
  currency,
  timezone,
});

const nothingOf = (event: EventRecord): EventStatisticsDto => ({
  event: toEvent(event, 'UTC'),
  byCurrency: [],
});

async function statisticsOf(
  db: SqlExecutor,
  event: EventRecord,
  timezone: string,
  all: readonly StatisticsRow[],
): Promise<EventStatisticsDto> {
  const totals = await db.query<CurrencyTotal>(OF_EVENT, [event.id]);
  const rows = all.filter(({ eventId }) => eventId === event.id);
  const others = [...new Set(rows.map(({ currency }) => currency))].filter((one) => one !== event.currency);
  return {
    event: toEvent(event, timezone),
    byCurrency: [event.currency, ...others].map((currency) =>
      ofCurrency(
        currency,
        rows.filter((row) => row.currency === currency),
        totals.find((total) => total.currency === currency)?.donorCount ?? 0,
        timezone,
      ),
    ),
  };
}

function ofCurrency(
  currency: string,
  rows: readonly StatisticsRow[],
  donorCount: number,
  timezone: string,
): StatisticsCurrencyDto {
  const all = rows.find(({ part }) => part === 'all');
  const amount = all?.amount ?? 0n;
  const count = all?.count ?? 0;
  return {
    currency,
    count,
    amount: toJsonAmount(amount),
    donorCount,
    average: count === 0 ? 0 : toJsonAmount(amount / BigInt(count)),
    median: toJsonAmount(all?.median ?? 0n),
    largest: toJsonAmount(all?.largest ?? 0n),
    byHour: hoursOf(rows, timezone),
    byTerminal: rows.flatMap(({ part, terminalId, terminalName, ...sum }) =>
      part === 'terminal'
        ? [{ terminalId, terminalName, count: sum.count, amount: toJsonAmount(sum.amount) }]
        : [],
    ),
    bySource: rows.flatMap(({ part, source, ...sum }) =>
      part === 'source' ? [{ source, count: sum.count, amount: toJsonAmount(sum.amount) }] : [],
    ),
    byType: rows.flatMap(({ part, type, ...sum }) =>
      part === 'type' && type ? [{ type, ...moneyOf(sum), methods: methodsIn(rows, type) }] : [],
    ),
  };
}

const moneyOf = ({ count, amount }: Pick<StatisticsRow, 'count' | 'amount'>) => ({
  count,
  amount: toJsonAmount(amount),
});

const methodsIn = (rows: readonly StatisticsRow[], type: DonationType) =>
  methodsOf(
    rows.filter(({ part }) => part === 'method'),
    type,
  ).map(({ method, wallet, ...sum }) => ({ method, wallet, ...moneyOf(sum) }));

function hoursOf(rows: readonly StatisticsRow[], timezone: string): StatisticsCurrencyDto['byHour'] {
  let cumulative = 0n;
  let first: number | undefined;
  return rows.flatMap(({ part, hour, count, amount }) => {
    if (part !== 'hour' || !hour) return [];
    first ??= hour.getTime();
    cumulative += amount;
    return [
      {
        index: Math.round((hour.getTime() - first) / HOUR_MS),
        from: hour.toISOString(),
        local: localIso(hour, timezone),
        count,
        amount: toJsonAmount(amount),
        cumulative: toJsonAmount(cumulative),
      },
    ];
  });
}
