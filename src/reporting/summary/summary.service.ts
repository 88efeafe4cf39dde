import { Injectable } from '@nestjs/common';
import { reachesEvent, type Principal } from '../../common/access/principal.js';
import { Database } from '../../data/database.js';
import { boundedSums } from '../explain/bounded-sums.js';
import { ExplainService } from '../explain/explain.service.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound, type EventRecord } from '../../events/event-record.js';
import type { PayoutsDto } from '../../payments/payouts/dto/payouts.dto.js';
import { Payouts } from '../../payments/payouts/payouts.service.js';
import type { PledgeConversionList } from '../../pledges/dto/pledge-conversion.dto.js';
import { PledgeRounds } from '../../pledges/pledge-rounds.service.js';
import { type PoolFigures, PoolReports } from '../../match/pool-reports.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import {
  type CurrencySummary,
  currencySummary,
  type FeeRow,
  type GroupRow,
  type OnItsWayRow,
  type ShiftCash,
} from './summary.js';
import { SUMMARY_CASH, SUMMARY_FEES, SUMMARY_GROUPS, SUMMARY_ON_ITS_WAY } from './summary.sql.js';

/** An event's final figures. */
export interface EventSummary {
  readonly event: EventRecord;
  readonly asOf: Date;
  readonly timezone: string;
  /** One entry for each currency; the event's currency comes first. */
  readonly currencies: readonly CurrencySummary[];
  /** Cash of the shifts, oldest first. */
  readonly cash: readonly ShiftCash[];
  readonly payouts: PayoutsDto;
  /** Results of the pledges in a paddle raise. */
  readonly pledgeRounds: PledgeConversionList;
  /** Oldest first. */
  readonly matchPools: readonly PoolFigures[];
}

@Injectable()
export class SummaryService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly explain: ExplainService,
    private readonly payouts: Payouts,
    private readonly rounds: PledgeRounds,
    private readonly pools: PoolReports,
  ) {}

  /**
   * Reads all figures in one snapshot.
   * @throws NotFoundError `EVENT_NOT_FOUND`, UnavailableError `SUMS_TOO_SLOW`
   */
  async of(caller: Principal, ref: string): Promise<EventSummary> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    const { timezone } = await this.settings.effective(event.overrides);
    return await boundedSums(() =>
      this.database.snapshot(async (db) => {
        const explained = await this.explain.explanations(db, event);
        const rows = {
          groups: await db.query<GroupRow>(SUMMARY_GROUPS, [event.id, timezone]),
          fees: await db.query<FeeRow>(SUMMARY_FEES, [event.id]),
          onItsWay: await db.query<OnItsWayRow>(SUMMARY_ON_ITS_WAY, [event.id]),
        };
        return {
          event,
          asOf: new Date(),
          timezone,
          currencies: explained.map((explanation) => currencySummary(rows, explanation)),
          cash: await db.query<ShiftCash>(SUMMARY_CASH, [event.id]),
          payouts: await this.payouts.ofEvent(db, event.id),
          pledgeRounds: await this.rounds.conversionIn(db, event.id),
          matchPools: await this.pools.ofEvent(db, event.id),
        };
      }),
    );
  }
}
