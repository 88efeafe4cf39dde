import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../audit/audit.js';
import { Names } from '../audit/names.service.js';
import { actorOf, type Principal, reachesEvent } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import {
  InvalidInputError,
  NotFoundError,
  RefusedFieldsError,
  TooManyRequestsError,
} from '../common/errors/domain-errors.js';
import type { FloorMessage, Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import { StaffRooms } from '../gateway/staff-rooms.js';
import { Counters } from '../redis/counters.js';
import type { FloorMessageDto, FloorOverview, FloorRequestDto, SendFloorMessage } from './dto/floor.dto.js';
import {
  accountsOf,
  type FloorRow,
  MESSAGE,
  noSuchMessage,
  noSuchRequest,
  toMessage,
  toRequest,
  WITH_PARTIES,
} from './floor-rows.js';

const MOST_MESSAGES = 20;
const MOST_REQUESTS = 100;
/** Messages that one person can send in a minute. More would cover the tills. */
const SENT_A_MINUTE = 10;
const KEPT_MS = 48 * 3_600_000;
/** The job runs every quarter of an hour, so it deletes a little early. */
const EARLY_MS = 20 * 60_000;

/** The dashboard's side: messages to the tills, who has read them, and the requests of the tills. */
@Injectable()
export class FloorMessages {
  constructor(
    private readonly prisma: PrismaService,
    private readonly events: EventLookup,
    private readonly counters: Counters,
    private readonly rooms: StaffRooms,
    private readonly names: Names,
    private readonly audit: Audit,
  ) {}

  /**
   * Sends a message to all tills of the event, to one terminal, or to one member of the event.
   * @throws InvalidInputError `EVENT_REQUIRED`; NotFoundError `EVENT_NOT_FOUND`, `TERMINAL_NOT_FOUND`, `ASSIGNMENT_NOT_FOUND`;
   * TooManyRequestsError
   */
  async send(caller: Principal, { eventId: ref, text, ...to }: SendFloorMessage): Promise<FloorMessageDto> {
    const { terminalId = null, staffId = null } = to;
    if (terminalId !== null && staffId !== null)
      throw new RefusedFieldsError([
        { field: 'staffId', rule: 'other', message: 'staffId is not allowed with terminalId' },
      ]);
    const eventId = await this.eventOf(caller, ref);
    const { allowed, resetSeconds } = await this.counters.hit(`rate:floor:${caller.id}`, SENT_A_MINUTE, 60);
    if (!allowed) throw new TooManyRequestsError(resetSeconds);
    const id = newId();
    const row = await this.prisma.transaction(async (tx) => {
      if (
        terminalId !== null &&
        !(await tx.terminal.findFirst({ where: { id: terminalId, revokedAt: null } }))
      )
        throw new NotFoundError('TERMINAL_NOT_FOUND', 'The terminal does not exist or was revoked');
      if (staffId !== null && !(await tx.eventStaff.findFirst({ where: { eventId, staffId } })))
        throw new NotFoundError('ASSIGNMENT_NOT_FOUND', 'This staff member is not assigned to this event');
      const data = { id, eventId, kind: MESSAGE, text, terminalId, staffId, sentById: caller.id };
      const created = await tx.floorMessage.create({ data, include: WITH_PARTIES });
      await this.audit.record(actorOf(caller), 'floor.send', id, { eventId }, tx);
      return created;
    });
    this.rooms.nudge(eventId);
    return toMessage(row, await this.names.of(accountsOf([row])));
  }

  /**
   * Returns the newest messages with their readers, and the open requests.
   * @throws InvalidInputError `EVENT_REQUIRED`; NotFoundError `EVENT_NOT_FOUND`
   */
  async list(caller: Principal, ref: string | null | undefined): Promise<FloorOverview> {
    const eventId = await this.eventOf(caller, ref);
    const { floorMessage } = await this.prisma.client();
    const [messages, requests] = await Promise.all([
      floorMessage.findMany({
        where: { eventId, kind: MESSAGE, createdAt: { gt: new Date(Date.now() - KEPT_MS) } },
        include: WITH_PARTIES,
        orderBy: { id: 'desc' },
        take: MOST_MESSAGES,
      }),
      floorMessage.findMany({
        where: { eventId, kind: { not: MESSAGE }, closedAt: null },
        include: WITH_PARTIES,
        orderBy: { id: 'asc' },
        take: MOST_REQUESTS,
      }),
    ]);
    const names = await this.names.of(accountsOf([...messages, ...requests]));
    return {
      messages: messages.map((row) => toMessage(row, names)),
      requests: requests.map((row) => toRequest(row, names)),
    };
  }

  /**
   * Removes a message from the tills that have not read it. A repeat changes nothing.
   * @throws NotFoundError `FLOOR_MESSAGE_NOT_FOUND`
   */
  async withdraw(caller: Principal, id: string): Promise<FloorMessageDto> {
    const row = await this.change(caller, id, WITHDRAWAL);
    return toMessage(row, await this.names.of(accountsOf([row])));
  }

  /**
   * Shows the till that somebody has seen its request. A repeat changes nothing and names the first person.
   * @throws NotFoundError `FLOOR_REQUEST_NOT_FOUND`
   */
  async see(caller: Principal, id: string): Promise<FloorRequestDto> {
    const row = await this.change(caller, id, SIGHT);
    return toRequest(row, await this.names.of(accountsOf([row])));
  }

  /**
   * Closes a request. A repeat changes nothing and names the first person.
   * @throws NotFoundError `FLOOR_REQUEST_NOT_FOUND`
   */
  async close(caller: Principal, id: string): Promise<FloorRequestDto> {
    const row = await this.change(caller, id, CLOSING);
    return toRequest(row, await this.names.of(accountsOf([row])));
  }

  /** Deletes messages and requests after 48 hours, and returns their number. */
  @Cron('*/15 * * * *')
  async delete(): Promise<number> {
    const { floorMessage } = await this.prisma.client();
    const { count } = await floorMessage.deleteMany({
      where: { createdAt: { lt: new Date(Date.now() - KEPT_MS + EARLY_MS) } },
    });
    return count;
  }

  /** Makes a change unless somebody has made it before, and returns the row. */
  private async change(
    caller: Principal,
    id: string,
    { action, kind, open, data, missing }: FloorChange,
  ): Promise<FloorRow> {
    if (!isId(id)) throw missing();
    const { row, isChanged } = await this.prisma.transaction(async (tx) => {
      const before = await tx.floorMessage.findFirst({ where: { id, kind } });
      if (!before || !reachesEvent(caller, before.eventId)) throw missing();
      const { count } = await tx.floorMessage.updateMany({
        where: { id, closedAt: null, ...open },
        data: data(new Date(), caller.id, before),
      });
      if (count > 0) await this.audit.record(actorOf(caller), action, id, { eventId: before.eventId }, tx);
      const after = await tx.floorMessage.findUniqueOrThrow({ where: { id }, include: WITH_PARTIES });
      return { row: after, isChanged: count > 0 };
    });
    if (isChanged) this.rooms.nudge(row.eventId);
    return row;
  }

  private async eventOf(caller: Principal, ref: string | null | undefined): Promise<string> {
    if (!ref) throw new InvalidInputError('EVENT_REQUIRED', 'eventId is required');
    const { id } = await this.events.get(ref);
    if (!reachesEvent(caller, id)) throw eventNotFound();
    return id;
  }
}

/** A change that only the first person makes. */
interface FloorChange {
  readonly action: 'floor.withdraw' | 'floor.see' | 'floor.close';
  readonly kind: Prisma.FloorMessageWhereInput['kind'] & (string | object);
  /** Condition of the row before the change, in addition to being open. */
  readonly open: Prisma.FloorMessageWhereInput;
  readonly data: (now: Date, by: string, before: FloorMessage) => Prisma.FloorMessageUpdateManyMutationInput;
  readonly missing: () => NotFoundError;
}

const REQUEST = { not: MESSAGE };
const closed = (now: Date, by: string) => ({ closedAt: now, closedById: by });

const WITHDRAWAL: FloorChange = {
  action: 'floor.withdraw',
  kind: MESSAGE,
  open: {},
  data: closed,
  missing: noSuchMessage,
};
const SIGHT: FloorChange = {
  action: 'floor.see',
  kind: REQUEST,
  open: { seenAt: null },
  data: (now, by) => ({ seenAt: now, seenById: by }),
  missing: noSuchRequest,
};
const CLOSING: FloorChange = {
  action: 'floor.close',
  kind: REQUEST,
  open: {},
  data: (now, by, { seenAt }) => ({
    ...closed(now, by),
    ...(seenAt === null && { seenAt: now, seenById: by }),
  }),
  missing: noSuchRequest,
};
