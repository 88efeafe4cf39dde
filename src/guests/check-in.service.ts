import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import type { CheckedIn, CheckIn, WalkIn } from './dto/check-in.dto.js';
import { type GuestDto, type GuestRow, toGuest, WITH_HOLDER } from './dto/guest.dto.js';
import { guestMissing } from './guest-errors.js';
import { GuestScope } from './guest-scope.service.js';
import { GuestsService, seesContacts } from './guests.service.js';
import { lockPaddles, nextPaddle, paddleColumns, settleContest } from './paddles.js';

/**
 * Checks guests in. A phone without network uses a stored list and sends the check-ins later. So one guest
 * can be checked in twice, and two guests can have the same paddle. In both cases, the earlier time counts.
 */
@Injectable()
export class CheckIns {
  constructor(
    private readonly prisma: PrismaService,
    private readonly scope: GuestScope,
    private readonly guests: GuestsService,
    private readonly audit: Audit,
  ) {}

  /**
   * Checks a guest in. A repeat of the same request changes nothing.
   * @throws NotFoundError `GUEST_NOT_FOUND`
   * @throws ConflictError `PADDLE_TAKEN`, if the request has no `at`
   */
  async checkIn(caller: Principal, id: string, sent: CheckIn): Promise<CheckedIn> {
    return await this.prisma.transaction(async (tx) => {
      const guest = await this.scope.lockedGuest(tx, caller, id);
      return await this.checkInOne(tx, caller, guest, sent);
    });
  }

  /**
   * Adds a guest who was not on the list and checks the guest in.
   * @throws NotFoundError `EVENT_NOT_FOUND`; `GUEST_NOT_FOUND` if the id belongs to a guest of another event
   * @throws ConflictError `PADDLE_TAKEN`, if the request has no `at`; `TOO_MANY_GUESTS`
   */
  async walkIn(caller: Principal, ref: string, sent: WalkIn): Promise<CheckedIn> {
    const eventId = await this.scope.event(caller, ref);
    return await this.prisma.transaction(async (tx) => {
      await lockPaddles(tx, eventId);
      const { id, name, email, table, ...checkIn } = sent;
      const found = await tx.guest.findUnique({ where: { id }, include: WITH_HOLDER });
      if (found && found.eventId !== eventId) throw guestMissing();
      const guest = found ?? (await this.guests.insertIn(tx, caller, eventId, id, { name, email, table }));
      return await this.checkInOne(tx, caller, guest, checkIn);
    });
  }

  /**
   * Removes a check-in that was a mistake. The guest keeps the paddle. A repeat changes nothing.
   * @throws NotFoundError `GUEST_NOT_FOUND`
   */
  async undo(caller: Principal, id: string): Promise<GuestDto> {
    return await this.prisma.transaction(async (tx) => {
      const guest = await this.scope.lockedGuest(tx, caller, id);
      if (guest.checkedInAt === null) return toGuest(guest, seesContacts(caller));
      const after = await tx.guest.update({
        where: { id: guest.id },
        data: {
          checkedInAt: null,
          checkedInByKind: null,
          checkedInById: null,
          checkedInByName: null,
          checkedInTerminalId: null,
        },
        include: WITH_HOLDER,
      });
      await this.audit.record(actorOf(caller), 'guest.undo_check_in', guest.id, {}, tx);
      return toGuest(after, seesContacts(caller));
    });
  }

  private async checkInOne(
    tx: Prisma.TransactionClient,
    caller: Principal,
    guest: GuestRow,
    { at: sentAt, paddle, nextPaddle: wantsNext, sharesPaddleWith }: CheckIn,
  ): Promise<CheckedIn> {
    const now = new Date();
    const deviceTime = sentAt === undefined ? undefined : parseInstant(sentAt);
    // A time in the future comes from a wrong clock. With this time, the check-in would seem later than it
    // was.
    const at = deviceTime && deviceTime < now ? deviceTime : now;
    const by = checkedInBy(caller);
    const isRepeat =
      deviceTime !== undefined &&
      guest.checkedInAt?.getTime() === at.getTime() &&
      guest.checkedInById === by.checkedInById;
    const alreadyIn =
      guest.checkedInAt === null || isRepeat
        ? null
        : { at: guest.checkedInAt.toISOString(), by: guest.checkedInByName };
    const isFirst = guest.checkedInAt === null || at < guest.checkedInAt;
    const hasPaddle = guest.paddle !== null || guest.sharesPaddleWith !== null;
    const wished = paddle ?? (wantsNext && !hasPaddle ? await nextPaddle(tx, guest.eventId) : undefined);
    const columns = await paddleColumns(
      tx,
      guest,
      { paddle: wished, sharesPaddleWith: sharesPaddleWith ?? undefined },
      { at, hasHappened: deviceTime !== undefined },
    );
    const after = await tx.guest.update({
      where: { id: guest.id },
      data: { ...(isFirst ? { checkedInAt: at, ...by } : {}), ...columns },
      include: WITH_HOLDER,
    });
    await settleContest(tx, guest.eventId, guest.contestedPaddle);
    if (isFirst) await this.audit.record(actorOf(caller), 'guest.check_in', guest.id, {}, tx);
    return { guest: toGuest(after, seesContacts(caller)), alreadyIn };
  }
}

function checkedInBy(caller: Principal) {
  const { kind, id } = actorOf(caller);
  return {
    checkedInByKind: kind,
    checkedInById: id,
    checkedInByName: 'name' in caller ? caller.name : null,
    checkedInTerminalId: 'terminalId' in caller ? (caller.terminalId ?? null) : null,
  };
}
