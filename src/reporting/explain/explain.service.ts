import { Injectable } from '@nestjs/common';
import { reachesEvent, scopeOf, type Principal } from '../../common/access/principal.js';
import { Database, type SqlExecutor } from '../../data/database.js';
import { PrismaService } from '../../data/prisma.service.js';
import { DonationListService } from '../../donations/list/donation-list.service.js';
import type { DonationFilterDto } from '../../donations/dto/list-donations.dto.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { type EventRecord, eventNotFound } from '../../events/event-record.js';
import { PoolReports } from '../../match/pool-reports.service.js';
import { boundedSums } from './bounded-sums.js';
import {
  type AllTotalsExplainedDto,
  type DonationTotalsDto,
  toTotalExplained,
  type TotalExplainedDto,
} from './dto/explain.dto.js';
import { EVENT_FEES, EXPLAIN_ALL, EXPLAIN_EVENT, sumsOf } from './explain.sql.js';
import { type ExplainRow, explanationOf, matchLinesOf } from './explanation.js';
import { type ExplanationWithLedger, type FeesRow, type LedgerRows, withLedger } from './ledger.js';
import { toJsonAmount } from '../../common/money/money.js';

interface Sums {
  readonly currency: string;
  readonly count: number;
  readonly amount: bigint;
  readonly refunded: bigint;
  readonly counted: bigint;
  readonly received: bigint;
  readonly unpaid: bigint;
}

/**
 * Reads the rows for the ledger of an event.
 * @param db a snapshot, so that both queries read the same state
 */
const rowsOf = async (db: SqlExecutor, eventId: string): Promise<LedgerRows> => ({
  explained: await db.query<ExplainRow>(EXPLAIN_EVENT, [eventId]),
  fees: await db.query<FeesRow>(EVENT_FEES, [eventId]),
});

/** Explains totals: shows the lines that add up to each total. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaService,
    private readonly events: EventLookup,
    private readonly donations: DonationListService,
    private readonly pools: PoolReports,
  ) {}

  /**
   * Returns an event's total in one currency (default: the event's currency) with the lines that add up to this total.
   * @throws NotFoundError `EVENT_NOT_FOUND`, UnavailableError `SUMS_TOO_SLOW`
   */
  async ofEvent(caller: Principal, ref: string, currency: string | undefined): Promise<TotalExplainedDto> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    const unit = currency ?? event.currency;
    const [rows, pools] = await boundedSums(() =>
      this.database.snapshot(
        async (db) => [await rowsOf(db, event.id), await this.pools.ofEvent(db, event.id)] as const,
      ),
    );
    return toTotalExplained(withLedger(rows, unit, event.id), matchLinesOf(pools, unit, event.id));
  }

  /** Explains the totals of an event in all currencies, the event's currency first. Reads in the caller's snapshot. */
  async explanations(
    db: SqlExecutor,
    event: Pick<EventRecord, 'id' | 'currency'>,
  ): Promise<ExplanationWithLedger[]> {
    const rows = await rowsOf(db, event.id);
    const others = [...new Set(rows.explained.map(({ currency }) => currency))].filter(
      (one) => one !== event.currency,
    );
    return [event.currency, ...others.sort()].map((currency) => withLedger(rows, currency, event.id));
  }

  /**
   * Explains the totals of all events together, one for each currency.
   * @throws UnavailableError `SUMS_TOO_SLOW`
   */
  async ofAll(): Promise<AllTotalsExplainedDto> {
    const rows = await boundedSums(() => this.database.query<ExplainRow>(EXPLAIN_ALL));
    const currencies = [...new Set(rows.map(({ currency }) => currency))].sort();
    return { data: currencies.map((currency) => toTotalExplained(explanationOf(rows, currency, undefined))) };
  }

  /**
   * Returns the sums of the donations that the caller's list shows with the same filters. While the caller's own drawer is not
   * counted, the sums exclude cash.
   * @throws like the list; UnavailableError `SUMS_TOO_SLOW`
   */
  async ofFilter(caller: Principal, filter: DonationFilterDto): Promise<DonationTotalsDto> {
    const { where, values } = await this.donations.condition(caller, filter);
    const isBlind = await this.countsBlind(caller);
    const statement = sumsOf(isBlind ? `(${where}) AND type <> 'cash'` : where);
    const sums = await boundedSums(() => this.database.query<Sums>(statement, values));
    return {
      ...(isBlind && { withoutCash: true }),
      byCurrency: sums.map(({ currency, count, amount, refunded, counted, received, unpaid }) => ({
        currency,
        count,
        amount: toJsonAmount(amount),
        refunded: toJsonAmount(refunded),
        net: toJsonAmount(amount - refunded),
        inTotals: toJsonAmount(counted),
        received: toJsonAmount(received),
        unpaid: toJsonAmount(unpaid),
      })),
    };
  }

  private async countsBlind(caller: Principal): Promise<boolean> {
    const scope = scopeOf(caller);
    if (scope.kind !== 'own-event') return false;
    const { eventId, staffId } = scope;
    const { shift } = await this.prisma.client();
    return (await shift.count({ where: { eventId, staffId, status: 'open' } })) > 0;
  }
}
