import { Injectable } from '@nestjs/common';
import { isId } from '../common/crypto/ids.js';
import { type Principal, reachesEvent } from '../common/access/principal.js';
import type { Prisma } from '../data/generated/client.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import { type GuestRow, WITH_HOLDER } from './dto/guest.dto.js';
import { guestMissing } from './guest-errors.js';
import { lockPaddles } from './paddles.js';

/** Finds the events and guests that a caller may access. */
@Injectable()
export class GuestScope {
  constructor(private readonly events: EventLookup) {}

  /**
   * Returns the id of an event.
   * @param ref id or slug
   * @throws NotFoundError `EVENT_NOT_FOUND`, also for an event outside the caller's scope
   */
  async event(caller: Principal, ref: string): Promise<string> {
    const { id } = await this.events.get(ref);
    if (!reachesEvent(caller, id)) throw eventNotFound();
    return id;
  }

  /**
   * Locks the paddles of a guest's event and returns the guest.
   * @throws NotFoundError `GUEST_NOT_FOUND`, also for a guest outside the caller's scope
   */
  async lockedGuest(tx: Prisma.TransactionClient, caller: Principal, id: string): Promise<GuestRow> {
    const found = isId(id) ? await tx.guest.findUnique({ where: { id }, select: { eventId: true } }) : null;
    if (!found || !reachesEvent(caller, found.eventId)) throw guestMissing();
    await lockPaddles(tx, found.eventId);
    const row = await tx.guest.findUnique({ where: { id }, include: WITH_HOLDER });
    // The guest was deleted while this transaction waited for the lock.
    if (!row) throw guestMissing();
    return row;
  }
}
