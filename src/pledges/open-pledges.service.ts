import { Injectable } from '@nestjs/common';
import { type Principal, reachesEvent } from '../common/access/principal.js';
import { isId } from '../common/crypto/ids.js';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import { boundedSums } from '../reporting/explain/bounded-sums.js';
import {
  type ListedPledgeRow,
  type ListOpenPledges,
  type OpenPledgeList,
  type ReceivedPledgesList,
  type ReceivedRow,
  toOpenPledge,
  toReceived,
} from './dto/open-pledge.dto.js';
import { COUNT_OPEN_PLEDGES, OPEN_PLEDGES, RECEIVED_OF_PLEDGES } from './open-pledges.sql.js';

const DEFAULT_LIMIT = 50;
/** The age at which the share of the received money is compared between events. */
const AFTER_DAYS = 30;

/** The unpaid pledges of an event with the last contact to each donor, and the share of the pledged money that arrived. */
@Injectable()
export class OpenPledges {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND`; InvalidInputError `CURSOR_INVALID` */
  async list(
    caller: Principal,
    { eventId: ref, limit = DEFAULT_LIMIT, cursor }: ListOpenPledges,
  ): Promise<OpenPledgeList> {
    const eventId = await this.eventOf(caller, ref);
    const [amount, id] = cursor ? readCursor(cursor) : [null, null];
    const rows = await this.database.query<ListedPledgeRow>(OPEN_PLEDGES, [eventId, amount, id, limit + 1]);
    const [counted] = await this.database.query<{ count: number }>(COUNT_OPEN_PLEDGES, [eventId]);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      data: shown.map(toOpenPledge),
      total: counted?.count ?? 0,
      nextCursor: last && rows.length > limit ? `${last.amount}.${last.id}` : null,
    };
  }

  /** @throws NotFoundError `EVENT_NOT_FOUND`; UnavailableError `SUMS_TOO_SLOW` */
  async received(caller: Principal, ref: string): Promise<ReceivedPledgesList> {
    const eventId = await this.eventOf(caller, ref);
    const rows = await boundedSums(() =>
      this.database.query<ReceivedRow>(RECEIVED_OF_PLEDGES, [eventId, AFTER_DAYS]),
    );
    return { afterDays: AFTER_DAYS, data: rows.map(toReceived) };
  }

  private async eventOf(caller: Principal, ref: string): Promise<string> {
    const { id } = await this.events.get(ref);
    if (!reachesEvent(caller, id)) throw eventNotFound();
    return id;
  }
}

function readCursor(cursor: string): [amount: string, id: string] {
  const [amount = '', id = ''] = cursor.split('.');
  if (!/^\d{1,13}$/.test(amount) || !isId(id))
    throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
  return [amount, id];
}
