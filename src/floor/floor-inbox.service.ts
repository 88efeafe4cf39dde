import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type OwnEvent, type Principal, scopeOf } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import { ForbiddenError, TooManyRequestsError } from '../common/errors/domain-errors.js';
import type { Prisma } from '../data/generated/client.js';
import { isPrismaConflict, PrismaService } from '../data/prisma.service.js';
import { Counters } from '../redis/counters.js';
import type { AskFloor, FloorInbox, OwnFloorRequest, ReadFloorMessage } from './dto/floor.dto.js';
import { MESSAGE, noSuchMessage, toOwnRequest } from './floor-rows.js';

const HOUR_MS = 3_600_000;
/** A member who signs in late does not need the messages of the afternoon. */
const SHOWN_MS = 4 * HOUR_MS;
/** The till says for this long that a request was closed. */
const CLOSED_SHOWN_MS = 5 * 60_000;
/** More messages would leave no place for the keys of a small till. The next ones follow after "OK". */
const MOST_SHOWN = 3;
const MOST_REQUESTS = 20;
/** Requests that one member can make in a minute. */
const ASKED_A_MINUTE = 10;

/** The till's side: unread messages, "OK", and requests to the dashboard. */
@Injectable()
export class FloorInboxes {
  constructor(
    private readonly prisma: PrismaService,
    private readonly counters: Counters,
    private readonly audit: Audit,
  ) {}

  /** Unread messages and own requests. The till asks every 30 seconds, and after `floor.changed`. */
  async of(caller: Principal): Promise<FloorInbox> {
    const scope = ownEvent(caller);
    const { floorMessage } = await this.prisma.client();
    const now = Date.now();
    const [messages, requests] = await Promise.all([
      floorMessage.findMany({
        where: { ...forTill(scope), closedAt: null, createdAt: { gt: new Date(now - SHOWN_MS) } },
        orderBy: { id: 'asc' },
        take: MOST_SHOWN,
      }),
      floorMessage.findMany({
        where: {
          eventId: scope.eventId,
          staffId: scope.staffId,
          kind: { not: MESSAGE },
          OR: [{ closedAt: null }, { closedAt: { gt: new Date(now - CLOSED_SHOWN_MS) } }],
        },
        orderBy: { id: 'asc' },
        take: MOST_REQUESTS,
      }),
    ]);
    return {
      messages: messages.map(({ id, text, createdAt }) => ({
        id,
        text: text ?? '',
        createdAt: createdAt.toISOString(),
      })),
      requests: requests.map(toOwnRequest),
    };
  }

  /**
   * Notes that the member has read a message. A repeat changes nothing.
   * @throws NotFoundError `FLOOR_MESSAGE_NOT_FOUND`, also for a message to another till
   */
  async read(caller: Principal, id: string): Promise<ReadFloorMessage> {
    const { eventId, staffId, terminalId } = ownEvent(caller);
    if (!isId(id)) throw noSuchMessage();
    const { floorMessage, floorReading } = await this.prisma.client();
    const found = await floorMessage.findFirst({
      where: { id, eventId, kind: MESSAGE, ...receivedBy({ staffId, terminalId }) },
    });
    if (!found) throw noSuchMessage();
    await floorReading.createMany({
      data: [{ messageId: id, staffId, terminalId }],
      skipDuplicates: true,
    });
    const { readAt } = await floorReading.findUniqueOrThrow({
      where: { messageId_staffId: { messageId: id, staffId } },
    });
    return { id, readAt: readAt.toISOString() };
  }

  /**
   * Asks the dashboard for something. An open request of the same kind is returned instead of a second one; the number of the
   * table is then the new one.
   * @throws TooManyRequestsError
   */
  async ask(caller: Principal, { kind, place = null }: AskFloor): Promise<OwnFloorRequest> {
    const { eventId, staffId, terminalId } = ownEvent(caller);
    const { allowed, resetSeconds } = await this.counters.hit(`rate:floor:${staffId}`, ASKED_A_MINUTE, 60);
    if (!allowed) throw new TooManyRequestsError(resetSeconds);
    const open = { eventId, staffId, kind, closedAt: null };
    const write = () =>
      this.prisma.transaction(async (tx) => {
        const before = await tx.floorMessage.findFirst({ where: open });
        if (before)
          return await tx.floorMessage.update({ where: { id: before.id }, data: { place, terminalId } });
        const id = newId();
        const created = await tx.floorMessage.create({
          data: { id, eventId, staffId, terminalId, kind, place },
        });
        await this.audit.record(actorOf(caller), 'floor.ask', id, { eventId }, tx);
        return created;
      });
    // Two requests at the same moment: the second one finds the row of the first.
    const row = await write().catch((error: unknown) => {
      if (isPrismaConflict(error)) return write();
      throw error;
    });
    return toOwnRequest(row);
  }
}

/** @throws ForbiddenError for a caller without an event of their own */
function ownEvent(caller: Principal): OwnEvent {
  const scope = scopeOf(caller);
  if (scope.kind !== 'own-event') throw new ForbiddenError();
  return scope;
}

/** Messages to everybody, to this member, or to this terminal. */
const receivedBy = ({ staffId, terminalId }: Pick<OwnEvent, 'staffId' | 'terminalId'>) =>
  ({
    OR: [
      { staffId: null, terminalId: null },
      { staffId },
      ...(terminalId === null ? [] : [{ staffId: null, terminalId }]),
    ],
  }) satisfies Prisma.FloorMessageWhereInput;

/** Unread messages for a till. A message to one terminal is read when one member has read it there. */
const forTill = ({ eventId, staffId, terminalId }: OwnEvent): Prisma.FloorMessageWhereInput => ({
  eventId,
  kind: MESSAGE,
  ...receivedBy({ staffId, terminalId }),
  readings: { none: { staffId } },
  NOT: { terminalId: { not: null }, readings: { some: {} } },
});
