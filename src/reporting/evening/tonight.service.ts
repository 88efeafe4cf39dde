import { Injectable } from '@nestjs/common';
import { reachesEvent, type Principal } from '../../common/access/principal.js';
import { CrowdedAddresses } from '../../common/http/crowded-addresses.js';
import { firstIdAt } from '../../common/crypto/ids.js';
import { Database } from '../../data/database.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { claimsOn } from '../../donations/store/claims.js';
import { toDonation } from '../../donations/dto/donation.dto.js';
import { toEvent, toEventTotals } from '../../events/dto/event.dto.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound } from '../../events/event-record.js';
import type { CurrencyTotal } from '../../events/event-totals.service.js';
import { boundedSums } from '../explain/bounded-sums.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import { ProviderHealth, type ProviderHealthRow, typesOf } from '../../payments/providers/provider-health.js';
import { OF_EVENT } from '../../totals/totals.sql.js';
import type { MinuteDto, ProviderStateDto, StaffOnDto, TonightDto } from './dto/tonight.dto.js';
import {
  type MinuteRow,
  OPEN_REVIEW_ITEMS,
  PER_MINUTE,
  RECENT,
  STAFF_ON,
  type StaffRow,
  TILLS,
  type TillsRow,
  WAITING,
  type WaitingRow,
} from './tonight.sql.js';
import { toJsonAmount } from '../../common/money/money.js';

const SHOWN = 20;
const MINUTES = 60;
const MINUTE_MS = 60_000;
/** Length of the period that the page shows: an event evening and its preparation. Earlier activity is not read. */
const EVENING_MS = 12 * 60 * MINUTE_MS;

/** Data of the page that stays open during an event. */
@Injectable()
export class TonightService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly providers: PaymentProviders,
    private readonly health: ProviderHealth,
    private readonly crowded: CrowdedAddresses,
  ) {}

  /**
   * Reads totals, donations and people in one snapshot.
   * @throws NotFoundError `EVENT_NOT_FOUND`, UnavailableError `SUMS_TOO_SLOW`
   */
  async of(caller: Principal, ref: string): Promise<TonightDto> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    const since = firstIdAt(new Date(Date.now() - EVENING_MS));
    const inCurrency = [event.id, event.currency, since];
    const providers = await this.states();
    return await boundedSums(() =>
      this.database.snapshot(async (db) => {
        const recent = await db.query<DonationRow>(RECENT, [event.id, SHOWN]);
        const claims = await claimsOn(db, recent);
        const [waiting] = await db.query<WaitingRow>(WAITING, [event.id]);
        const [tills] = await db.query<TillsRow>(TILLS, [event.id]);
        const [review] = await db.query<{ count: number }>(OPEN_REVIEW_ITEMS);
        return {
          asOf: new Date().toISOString(),
          event: toEvent(event),
          totals: toEventTotals(event.currency, await db.query<CurrencyTotal>(OF_EVENT, [event.id])),
          goalAmount: toJsonAmount(event.goalAmount),
          recent: recent.map((row) => toDonation(row, claims.get(row.id))),
          staffOn: (await db.query<StaffRow>(STAFF_ON, inCurrency)).map(toStaff),
          messagesWaiting: waiting?.messages ?? 0,
          namesWaiting: waiting?.names ?? 0,
          tributesWaiting: waiting?.tributes ?? 0,
          reviewItems: review?.count ?? 0,
          openShifts: tills?.shifts ?? 0,
          waitingOnTerminals: tills?.waiting ?? 0,
          providers,
          crowdedAddresses: this.crowded.list(),
          perMinute: minutes(await db.query<MinuteRow>(PER_MINUTE, inCurrency)),
        };
      }),
    );
  }

  private async states(): Promise<ProviderStateDto[]> {
    const known = await this.health.all();
    return this.providers.names.map(({ name, enabled }) => ({ name, enabled, ...stateOf(known.get(name)) }));
  }
}

function stateOf(row: ProviderHealthRow | undefined): Omit<ProviderStateDto, 'name' | 'enabled'> {
  const failingSince = row?.failing_since ?? null;
  return {
    state: failingSince !== null ? 'failing' : row?.last_ok_at ? 'ok' : 'unknown',
    lastOkAt: row?.last_ok_at?.toISOString() ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    lastWebhookAt: row?.last_webhook_at?.toISOString() ?? null,
    webhookProblem: row?.webhook_problem ?? null,
    unsubscribedTypes: typesOf(row),
  };
}

const toStaff = ({
  staffId,
  name,
  terminalName,
  lastSeenAt,
  recorded,
  amount,
  pledged,
}: StaffRow): StaffOnDto => ({
  staffId,
  name,
  terminalName,
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
  recorded,
  amount: toJsonAmount(amount),
  pledged: toJsonAmount(pledged),
});

/** Returns all 60 minutes, including minutes without donations. */
function minutes(rows: readonly MinuteRow[]): MinuteDto[] {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const byTime = new Map(rows.map((row) => [row.minute.getTime(), row]));
  return Array.from({ length: MINUTES }, (_, index) => {
    const time = now - (MINUTES - 1 - index) * MINUTE_MS;
    const row = byTime.get(time);
    return {
      minute: new Date(time).toISOString(),
      count: row?.count ?? 0,
      amount: toJsonAmount(row?.amount ?? 0n),
    };
  });
}
