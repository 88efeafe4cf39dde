import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { actorOf, can, type Principal } from '../common/access/principal.js';
import { newId } from '../common/crypto/ids.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { ConflictError, EditConflictError } from '../common/errors/domain-errors.js';
import { unexpectedValues, type Values } from '../common/validation/expected.js';
import type { Prisma } from '../data/generated/client.js';
import { isPrismaForeignKey, PrismaService } from '../data/prisma.service.js';
import { donorKeyOf } from '../donations/recording/new-donation.js';
import { eventNotFound } from '../events/event-record.js';
import {
  type CreateGuest,
  type DeletedGuest,
  type GuestDto,
  type GuestRow,
  toGuest,
  type UpdateGuest,
  WITH_HOLDER,
} from './dto/guest.dto.js';
import { GuestScope } from './guest-scope.service.js';
import { lockPaddles, paddleColumns, settleContest } from './paddles.js';

/** Maximum number of guests of an event. */
export const MOST_GUESTS = 20_000;
const DETAILS = ['name', 'phone', 'table', 'seat', 'party', 'note', 'isVip', 'needsHelp'] as const;

type GuestFields = { readonly [Field in keyof CreateGuest]?: CreateGuest[Field] | undefined };
type NewGuest = GuestFields & Pick<CreateGuest, 'name'>;

/** Adds, changes and deletes guests of an event. */
@Injectable()
export class GuestsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly scope: GuestScope,
    private readonly keys: KeyRing,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
  ) {}

  /**
   * @throws ConflictError `PADDLE_TAKEN`; `TOO_MANY_GUESTS`
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async create(caller: Principal, ref: string, sent: CreateGuest): Promise<GuestDto> {
    const eventId = await this.scope.event(caller, ref);
    return await this.prisma.transaction(async (tx) => {
      await lockPaddles(tx, eventId);
      const row = await this.insertIn(tx, caller, eventId, newId(), sent);
      return toGuest(row, seesContacts(caller));
    });
  }

  /** Adds a guest. The caller holds the lock of `lockPaddles`. */
  async insertIn(
    tx: Prisma.TransactionClient,
    caller: Principal,
    eventId: string,
    id: string,
    sent: NewGuest,
  ): Promise<GuestRow> {
    if ((await tx.guest.count({ where: { eventId } })) >= MOST_GUESTS)
      throw new ConflictError('TOO_MANY_GUESTS', `An event has at most ${MOST_GUESTS} guests`);
    const fresh = { id, eventId, paddle: null, paddleGivenAt: null, contestedPaddle: null };
    const columns = await paddleColumns(tx, fresh, sent, { at: new Date(), hasHappened: false });
    const row = await tx.guest
      .create({
        data: { id, eventId, name: sent.name, ...this.details(sent), ...columns },
        include: WITH_HOLDER,
      })
      .catch((error: unknown) => {
        // The event was deleted at the same time.
        throw isPrismaForeignKey(error) ? eventNotFound() : error;
      });
    await this.audit.record(actorOf(caller), 'guest.create', id, { eventId }, tx);
    return row;
  }

  /**
   * @throws NotFoundError `GUEST_NOT_FOUND`
   * @throws ConflictError `PADDLE_TAKEN`
   * @throws EditConflictError if a field does not have the expected value
   */
  async update(caller: Principal, id: string, sent: UpdateGuest): Promise<GuestDto> {
    const trail = { subjectId: id.toLowerCase(), actions: ['guest.update'] };
    return await this.conflicts.explaining(caller, [trail], () =>
      this.prisma.transaction(async (tx) => {
        const before = await this.scope.lockedGuest(tx, caller, id);
        const { expected = {}, ...change } = sent;
        const unexpected = unexpectedValues(expected, change, storedValues(before));
        if (unexpected.length > 0) throw new EditConflictError(unexpected);
        const columns = await paddleColumns(tx, before, change, { at: new Date(), hasHappened: false });
        const after = await tx.guest.update({
          where: { id: before.id },
          data: { ...this.details(change), ...columns },
          include: WITH_HOLDER,
        });
        await settleContest(tx, before.eventId, before.contestedPaddle);
        const fields = Object.keys(change).filter(
          (field) => change[field as keyof typeof change] !== undefined,
        );
        await this.audit.record(actorOf(caller), 'guest.update', before.id, { fields }, tx);
        return toGuest(after, seesContacts(caller));
      }),
    );
  }

  /**
   * Deletes a guest. The first guest who shared the paddle becomes its holder.
   * @throws NotFoundError `GUEST_NOT_FOUND`
   */
  async remove(caller: Principal, id: string): Promise<DeletedGuest> {
    return await this.prisma.transaction(async (tx) => {
      const guest = await this.scope.lockedGuest(tx, caller, id);
      const heir = await tx.guest.findFirst({
        where: { sharesPaddleWith: guest.id },
        orderBy: { id: 'asc' },
      });
      if (heir)
        await tx.guest.updateMany({
          where: { sharesPaddleWith: guest.id, id: { not: heir.id } },
          data: { sharesPaddleWith: heir.id },
        });
      await tx.guest.delete({ where: { id: guest.id } });
      if (heir) {
        const { paddle, paddleGivenAt } = guest;
        await tx.guest.update({
          where: { id: heir.id },
          data: { paddle, paddleGivenAt, sharesPaddleWith: null },
        });
      }
      await settleContest(tx, guest.eventId, guest.contestedPaddle);
      await this.audit.record(actorOf(caller), 'guest.delete', guest.id, { eventId: guest.eventId }, tx);
      return { id: guest.id, deleted: true };
    });
  }

  /** The columns of the sent fields, except the paddle. An absent field is not changed. */
  private details(sent: GuestFields) {
    const { email } = sent;
    return {
      ...Object.fromEntries(
        DETAILS.flatMap((field) => (sent[field] === undefined ? [] : [[field, sent[field]]])),
      ),
      ...(email === undefined ? {} : { email, donorKey: bytes(donorKeyOf(this.keys, email)) }),
    };
  }
}

const bytes = (key: Buffer | null) => key && new Uint8Array(key);

/** The values of a guest under the names of the API. */
const storedValues = (row: GuestRow): Values => Object.fromEntries(Object.entries(toGuest(row, true)));

/** True if the caller sees e-mail addresses and phones. */
export const seesContacts = (caller: Principal): boolean => can(caller, 'guests:edit');
