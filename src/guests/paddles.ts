import { ConflictError, RefusedFieldsError } from '../common/errors/domain-errors.js';
import { PADDLES_SEED } from '../data/advisory-locks.js';
import type { Statement } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { lock } from '../data/prisma.service.js';
import type { GuestRow } from './dto/guest.dto.js';
import { guestMissing } from './guest-errors.js';

/*
 * Paddle numbers of guests. A number belongs to one guest of the event; other guests can share this number.
 * Every function in this file needs the lock of `lockPaddles`, so that two requests never assign the same
 * number.
 */

const LOCK: Statement = {
  name: 'guests_lock_paddles',
  text: `SELECT pg_advisory_xact_lock(hashtextextended($1, ${PADDLES_SEED}))`,
};

/** Takes the lock on the paddles of an event until the end of the transaction. */
export const lockPaddles = (tx: Prisma.TransactionClient, eventId: string): Promise<void> =>
  lock(tx, LOCK, [eventId]);

/** The columns of a guest that describe the paddle. */
type PaddleColumns = Partial<
  Pick<GuestRow, 'paddle' | 'paddleGivenAt' | 'sharesPaddleWith' | 'contestedPaddle'>
>;

/**
 * The wanted paddle, or the guest whose paddle is shared. Null removes the paddle; undefined changes nothing.
 */
export interface PaddleWish {
  readonly paddle?: string | null | undefined;
  readonly sharesPaddleWith?: string | null | undefined;
}

/** The time and the kind of an assignment of a paddle. */
interface Giving {
  /** Time at which the guest got the paddle. */
  readonly at: Date;
  /**
   * True if a phone without network has already assigned the paddle, so that the assignment cannot be
   * refused.
   */
  readonly hasHappened: boolean;
}

/**
 * Returns the columns that give a guest the wanted paddle, and changes the other affected guests.
 * @throws ConflictError `PADDLE_TAKEN` if another guest has the paddle
 * @throws NotFoundError `GUEST_NOT_FOUND` if the guest to share with is not at the event
 */
export async function paddleColumns(
  tx: Prisma.TransactionClient,
  guest: Pick<GuestRow, 'id' | 'eventId' | 'paddle' | 'paddleGivenAt' | 'contestedPaddle'>,
  wish: PaddleWish,
  giving: Giving,
): Promise<PaddleColumns> {
  const { paddle, sharesPaddleWith } = wish;
  if (paddle && sharesPaddleWith) throw twoPaddles();
  if (sharesPaddleWith) {
    const holder = await holderOf(tx, guest, sharesPaddleWith);
    // Guests who shared this guest's paddle now share the same new paddle.
    await tx.guest.updateMany({
      where: { sharesPaddleWith: guest.id },
      data: { sharesPaddleWith: holder },
    });
    return { paddle: null, paddleGivenAt: null, sharesPaddleWith: holder, contestedPaddle: null };
  }
  if (paddle) return await ownPaddle(tx, guest, paddle, giving);
  return {
    ...(paddle === null ? { paddle: null, paddleGivenAt: null, contestedPaddle: null } : {}),
    ...(paddle === null || sharesPaddleWith === null ? { sharesPaddleWith: null } : {}),
  };
}

async function ownPaddle(
  tx: Prisma.TransactionClient,
  guest: Pick<GuestRow, 'id' | 'eventId' | 'paddle' | 'paddleGivenAt'>,
  paddle: string,
  { at, hasHappened }: Giving,
): Promise<PaddleColumns> {
  if (guest.paddle === paddle) return { contestedPaddle: null };
  const given = { paddle, paddleGivenAt: at, sharesPaddleWith: null };
  const holder = await tx.guest.findUnique({ where: { eventId_paddle: { eventId: guest.eventId, paddle } } });
  if (holder && !hasHappened)
    throw new ConflictError('PADDLE_TAKEN', 'Another guest of the event has this paddle');
  if (holder) {
    const isEarlier = holder.paddleGivenAt !== null && at < holder.paddleGivenAt;
    const lost = isEarlier ? { paddle: null, paddleGivenAt: null } : {};
    await tx.guest.update({ where: { id: holder.id }, data: { ...lost, contestedPaddle: paddle } });
    return { ...(isEarlier ? given : {}), contestedPaddle: paddle };
  }
  // Two phones assigned different paddles to this guest. The guest keeps the earlier paddle, and the team
  // collects the other one.
  if (hasHappened && guest.paddle !== null && guest.paddleGivenAt !== null && guest.paddleGivenAt < at)
    return { contestedPaddle: paddle };
  return { ...given, contestedPaddle: null };
}

/** Returns the id of the guest whose own paddle is shared. */
async function holderOf(
  tx: Prisma.TransactionClient,
  guest: Pick<GuestRow, 'id' | 'eventId'>,
  id: string,
): Promise<string> {
  const found = await tx.guest.findFirst({ where: { id, eventId: guest.eventId } });
  if (!found) throw guestMissing();
  const holder = found.sharesPaddleWith ?? found.id;
  if (holder === guest.id)
    throw new RefusedFieldsError([
      { field: 'sharesPaddleWith', rule: 'other', message: 'sharesPaddleWith must be another guest' },
    ]);
  return holder;
}

const twoPaddles = () =>
  new RefusedFieldsError([
    { field: 'sharesPaddleWith', rule: 'other', message: 'sharesPaddleWith is not allowed with a paddle' },
  ]);

/**
 * The lowest positive number that no guest has and that is not contested.
 * $1: event
 */
const NEXT: Statement = {
  name: 'guests_next_paddle',
  text: `SELECT number::text AS paddle
    FROM generate_series(1, 1 + (SELECT count(*) FROM guest
      WHERE event_id = $1::uuid AND coalesce(paddle, contested_paddle) IS NOT NULL) * 2) AS number
    WHERE NOT EXISTS (SELECT 1 FROM guest
      WHERE event_id = $1::uuid AND number::text IN (paddle, contested_paddle))
    ORDER BY number LIMIT 1`,
};

/** Returns the lowest free paddle number of an event. */
export async function nextPaddle(tx: Prisma.TransactionClient, eventId: string): Promise<string> {
  const [row] = await tx.$queryRawUnsafe<{ paddle: string }[]>(NEXT.text, eventId);
  if (!row) throw new Error('The list of paddle numbers is empty');
  return row.paddle;
}

/** Removes the mark of a contested paddle as soon as all other guests with this mark have another paddle. */
export async function settleContest(
  tx: Prisma.TransactionClient,
  eventId: string,
  paddle: string | null,
): Promise<void> {
  if (paddle === null) return;
  const contested = await tx.guest.findMany({ where: { eventId, contestedPaddle: paddle } });
  if (contested.every((guest) => guest.paddle === paddle))
    await tx.guest.updateMany({
      where: { eventId, contestedPaddle: paddle },
      data: { contestedPaddle: null },
    });
}
