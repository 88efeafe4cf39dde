import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, reachesEvent, scopeOf, type Principal } from '../common/access/principal.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../common/errors/domain-errors.js';
import { isId, newId } from '../common/crypto/ids.js';
import { Database, type SqlExecutor } from '../data/database.js';
import { boundedSums } from '../reporting/explain/bounded-sums.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import { Outbox } from '../outbox/outbox.js';
import {
  type ConversionRow,
  type ConversionTotalRow,
  type PledgeConversionList,
  toConversion,
  toConversionTotal,
} from './dto/pledge-conversion.dto.js';
import {
  type OpenPledgeRound,
  type PledgeRoundDto,
  type PledgeRoundList,
  type PledgeRoundRow,
  toPledgeRound,
} from './dto/pledge.dto.js';
import {
  CLOSE_ROUND,
  CONVERSION_OF_EVENT,
  OPEN_ROUND,
  ROUND_BY_ID,
  ROUNDS_OF_EVENT,
} from './pledge-rounds.sql.js';

const MOST_LISTED = 200;
/**
 * Maximum number of currencies in an event. An event has few, because it can change its currency only before the first
 * donation.
 */
const MOST_CURRENCIES = 20;

/**
 * Pledge rounds, the levels of a paddle raise. Users with the right to record pledges open and close rounds. Walls show the
 * pledges.
 */
@Injectable()
export class PledgeRounds {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  /**
   * @throws ConflictError `EVENT_TAKES_NO_DONATIONS`
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async open(caller: Principal, { amount, eventId: ref, name }: OpenPledgeRound): Promise<PledgeRoundDto> {
    const eventId = await this.eventOf(caller, ref);
    const id = newId();
    const actor = actorOf(caller);
    return await this.database.transaction(async (tx) => {
      const opened = await tx.query(OPEN_ROUND, [id, eventId, amount, name ?? null, actor.kind, actor.id]);
      if (opened.length === 0) {
        // The event may have been deleted at the same time.
        await this.events.get(eventId);
        throw new ConflictError('EVENT_TAKES_NO_DONATIONS', 'A draft or archived event takes no pledges');
      }
      this.outbox.append(tx, { topic: 'pledge.round', eventId, roundId: id });
      const round = toPledgeRound(await roundOf(tx, caller, id));
      const { currency } = round;
      await this.audit.record(actor, 'pledge_round.open', id, { amount, currency }, tx);
      return round;
    });
  }

  async list(caller: Principal, ref: string | null | undefined): Promise<PledgeRoundList> {
    const eventId = await this.eventOf(caller, ref);
    const rows = await this.database.query<PledgeRoundRow>(ROUNDS_OF_EVENT, [eventId, MOST_LISTED]);
    return { data: rows.map(toPledgeRound) };
  }

  /**
   * Returns the results of the pledges in an event's rounds.
   * @throws UnavailableError `SUMS_TOO_SLOW`
   */
  async conversion(caller: Principal, ref: string | null | undefined): Promise<PledgeConversionList> {
    const eventId = await this.eventOf(caller, ref);
    return await boundedSums(() => this.conversionIn(this.database, eventId));
  }

  /** Like `conversion`, but reads in the caller's snapshot. */
  async conversionIn(db: SqlExecutor, eventId: string): Promise<PledgeConversionList> {
    const rows = await db.query<ConversionRow | ConversionTotalRow>(CONVERSION_OF_EVENT, [
      eventId,
      MOST_LISTED + MOST_CURRENCIES,
    ]);
    return {
      data: rows.flatMap((row) => (row.id === null ? [] : [toConversion(row)])).slice(0, MOST_LISTED),
      totals: rows.flatMap((row) => (row.id === null ? [toConversionTotal(row)] : [])),
    };
  }

  /**
   * Closes a round. A repeat changes nothing. A pledge that was made before the end but arrives later still belongs to the
   * round.
   * @throws NotFoundError `PLEDGE_ROUND_NOT_FOUND`
   */
  async close(caller: Principal, id: string): Promise<PledgeRoundDto> {
    return await this.database.transaction(async (tx) => {
      const { event_id: eventId } = await roundOf(tx, caller, id);
      if ((await tx.query(CLOSE_ROUND, [id])).length > 0) {
        this.outbox.append(tx, { topic: 'pledge.round', eventId, roundId: id });
        await this.audit.record(actorOf(caller), 'pledge_round.close', id, {}, tx);
      }
      return toPledgeRound(await roundOf(tx, caller, id));
    });
  }

  private async eventOf(caller: Principal, ref: string | null | undefined): Promise<string> {
    if (!ref) {
      const scope = scopeOf(caller);
      if (scope.kind === 'own-event') return scope.eventId;
      throw new InvalidInputError('EVENT_REQUIRED', 'eventId is required');
    }
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event.id;
  }
}

async function roundOf(db: SqlExecutor, caller: Principal, id: string): Promise<PledgeRoundRow> {
  const [row] = isId(id) ? await db.query<PledgeRoundRow>(ROUND_BY_ID, [id]) : [];
  if (!row || !reachesEvent(caller, row.event_id))
    throw new NotFoundError('PLEDGE_ROUND_NOT_FOUND', 'There is no such pledge round');
  return row;
}
