import { actorOf, type Principal } from '../common/access/principal.js';
import { Injectable } from '@nestjs/common';
import { SessionService } from '../auth/sessions/session.service.js';
import {
  ConflictError,
  EditConflictError,
  InvalidInputError,
  NotFoundError,
  RefusedFieldsError,
} from '../common/errors/domain-errors.js';
import { isId, newId } from '../common/crypto/ids.js';
import { unexpectedValues } from '../common/validation/expected.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { SettingsService } from '../settings/settings.service.js';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { SEALS_LOCK, transactionLock } from '../data/advisory-locks.js';
import type { Statement } from '../data/database.js';
import type { Prisma, StaffMember as StaffRow } from '../data/generated/client.js';
import {
  isPrismaConflict,
  isPrismaForeignKey,
  isPrismaMissing,
  lock,
  PrismaService,
} from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import {
  type AssignedStaff,
  type CreateManyStaff,
  type CreateStaff,
  type ListStaff,
  type NewMember,
  type Removed,
  type StaffMember,
  toColleague,
  toStaffMember,
  type UpdateStaff,
} from './dto/staff.dto.js';
import { KEPT_PIN_DIGITS, PIN_DIGITS, pinProblem, Pins } from './pins.js';

/** Removed members stay in the database, because the donations that they recorded refer to them. */
const PRESENT = { deletedAt: null } as const;
const ENDED_SESSIONS = { sessionVersion: { increment: 1 } } as const;
/** Maximum number of attempts. A generated PIN rarely belongs to another member already, even with many members. */
const GENERATE_ATTEMPTS = 20;

/** Manages staff members. */
@Injectable()
export class StaffService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly pins: Pins,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
    private readonly settings: SettingsService,
    private readonly events: EventLookup,
  ) {}

  /**
   * Returns all members. PINs are included if the caller does not decline them. The audit log records this view of the PINs.
   */
  async list(caller: Principal, { pins = true }: ListStaff = {}): Promise<AssignedStaff[]> {
    if (pins) await this.audit.record(actorOf(caller), 'staff.see_pins', null);
    const { staffMember } = await this.prisma.client();
    const rows = await staffMember.findMany({ where: PRESENT, orderBy: { id: 'asc' } });
    return rows.map((row) => (pins ? this.shown(row) : toColleague(row)));
  }

  /** @throws NotFoundError STAFF_NOT_FOUND, also for a removed member or an invalid id */
  async get(caller: Principal, id: string): Promise<StaffMember> {
    const row = await this.row(id);
    await this.audit.record(actorOf(caller), 'staff.see_pins', row.id);
    return this.shown(row);
  }

  /** @throws ConflictError PIN_TAKEN if another member has the chosen PIN */
  async create(actor: Principal, { name, code }: CreateStaff): Promise<StaffMember> {
    if (code) {
      await this.assertPin(code);
      return await this.insert(actor, name, code);
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.insert(actor, name, this.pins.generate());
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt >= GENERATE_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Adds members with random PINs and assigns them to the event, if one is named: all of them or none.
   * @throws NotFoundError EVENT_NOT_FOUND
   */
  async createMany(actor: Principal, { members, eventId }: CreateManyStaff): Promise<StaffMember[]> {
    const event = eventId === undefined ? undefined : await this.events.get(eventId);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.insertMany(actor, members, event?.id);
      } catch (error) {
        // The event was deleted at the same time.
        if (isPrismaForeignKey(error)) throw eventNotFound();
        if (!(error instanceof ConflictError) || attempt >= GENERATE_ATTEMPTS) throw error;
      }
    }
  }

  private async insertMany(
    actor: Principal,
    members: readonly NewMember[],
    eventId: string | undefined,
  ): Promise<StaffMember[]> {
    return await refusing(() =>
      this.prisma.transaction(async (tx) => {
        const made: StaffMember[] = [];
        for (const { name } of members) {
          const member = await this.insertIn(tx, actor, name, this.pins.generate());
          made.push(member);
          if (eventId === undefined) continue;
          await tx.eventStaff.create({ data: { eventId, staffId: member.id } });
          await this.audit.record(actorOf(actor), 'staff.assign', member.id, { eventId }, tx);
        }
        return made;
      }),
    );
  }

  /**
   * @throws InvalidInputError READ_ONLY_FIELD if `id` or `createdAt` has a new value
   * @throws ConflictError PIN_TAKEN
   * @throws EditConflictError if the name or the PIN is not as expected
   */
  async update(actor: Principal, id: string, changes: UpdateStaff): Promise<StaffMember> {
    const trail = { subjectId: id.toLowerCase(), actions: ['staff.update'] };
    return await this.conflicts.explaining(actor, [trail], () => this.change(actor, id, changes));
  }

  private async change(actor: Principal, id: string, changes: UpdateStaff): Promise<StaffMember> {
    const before = await this.row(id);
    refuseReadOnly(before, changes);
    const newPin =
      changes.code && changes.code !== this.pins.show(sealedPin(before)) ? changes.code : undefined;
    if (newPin) await this.assertPin(newPin);
    const data = { name: changes.name, ...(newPin ? { ...this.kept(newPin), ...ENDED_SESSIONS } : {}) };
    const member = await refusing(() =>
      this.prisma.transaction(async (tx) => {
        if (newPin) await this.assertFree(tx, newPin, before.id);
        if (changes.expected) this.refuseUnexpected(await lockedMember(tx, before.id), changes);
        const after = await tx.staffMember.update({ where: { id: before.id, ...PRESENT }, data });
        const detail = { renamed: before.name !== after.name, newPin: newPin !== undefined };
        await this.audit.record(actorOf(actor), 'staff.update', before.id, detail, tx);
        return after;
      }),
    );
    if (newPin) this.sessions.revoked(`staff:${member.id}`);
    return this.shown(member);
  }

  /** Removes a member permanently and frees the PIN. The member's donation records keep the name. */
  async remove(actor: Principal, id: string): Promise<Removed> {
    const { id: found } = await this.row(id);
    const data = { deletedAt: new Date(), pinDigest: null, pinSealed: null, ...ENDED_SESSIONS };
    await refusing(() =>
      this.prisma.transaction(async (tx) => {
        await tx.staffMember.update({ where: { id: found, ...PRESENT }, data });
        await tx.eventStaff.deleteMany({ where: { staffId: found } });
        await this.audit.record(actorOf(actor), 'staff.delete', found, {}, tx);
      }),
    );
    this.sessions.revoked(`staff:${found}`);
    return { id: found, deleted: true };
  }

  private async insert(actor: Principal, name: string, pin: string): Promise<StaffMember> {
    return await refusing(() => this.prisma.transaction((tx) => this.insertIn(tx, actor, name, pin)));
  }

  private async insertIn(
    tx: Prisma.TransactionClient,
    actor: Principal,
    name: string,
    pin: string,
  ): Promise<StaffMember> {
    const data = { id: newId(), name, ...this.kept(pin) };
    await this.assertFree(tx, pin, data.id);
    await this.audit.record(actorOf(actor), 'staff.create', data.id, {}, tx);
    return toStaffMember(await tx.staffMember.create({ data }), pin);
  }

  /**
   * Refuses a PIN of another member. Usually the unique column refuses such a PIN. While `PIN_SECRET` is replaced, the other
   * member's digest may use the other secret, so this function also checks that digest.
   */
  private async assertFree(tx: Prisma.TransactionClient, pin: string, id: string): Promise<void> {
    const digests = this.pins.digests(pin);
    if (digests.length === 1) return;
    await lock(tx, transactionLock(SEALS_LOCK));
    const taken = await tx.staffMember.findFirst({ where: { pinDigest: { in: digests }, id: { not: id } } });
    if (taken) throw pinTaken();
  }

  private async assertPin(pin: string): Promise<void> {
    const { enrolledTerminalsOnly } = (await this.settings.global()).auth;
    const problem = pinProblem(pin, enrolledTerminalsOnly);
    // The body's own check allows only digits, so the PIN is too short.
    const limit = enrolledTerminalsOnly ? KEPT_PIN_DIGITS : PIN_DIGITS;
    if (problem !== undefined)
      throw new RefusedFieldsError([{ field: 'code', rule: 'minLength', limit, message: `code ${problem}` }]);
  }

  /**
   * Refuses a change of unexpected values. The conflict does not contain the PIN, because every view of a PIN must be in the
   * audit log.
   */
  private refuseUnexpected(row: StaffRow, { expected = {}, name, code }: UpdateStaff): void {
    const stored = { name: row.name, code: this.pins.show(sealedPin(row)) };
    const unexpected = unexpectedValues(expected, { name, code: code ?? undefined }, stored);
    if (unexpected.length > 0)
      throw new EditConflictError(
        unexpected.map(({ field, value }) => (field === 'code' ? { field } : { field, value })),
      );
  }

  private kept(pin: string) {
    const { digest: pinDigest, sealed: pinSealed } = this.pins.keep(pin);
    return { pinDigest, pinSealed };
  }

  private async row(id: string): Promise<StaffRow> {
    const row = isId(id)
      ? await (await this.prisma.client()).staffMember.findUnique({ where: { id, ...PRESENT } })
      : null;
    if (!row) throw memberMissing();
    return row;
  }

  private shown(row: StaffRow): StaffMember {
    return toStaffMember(row, this.pins.show(sealedPin(row)));
  }
}

const LOCK_MEMBER: Statement = {
  name: 'staff_lock',
  text: 'SELECT 1 FROM staff_member WHERE id = $1::uuid FOR NO KEY UPDATE',
};

/** Locks the member until the commit and returns it. */
async function lockedMember(tx: Prisma.TransactionClient, id: string): Promise<StaffRow> {
  await lock(tx, LOCK_MEMBER, [id]);
  const row = await tx.staffMember.findUnique({ where: { id, ...PRESENT } });
  if (!row) throw memberMissing();
  return row;
}

/** A check constraint guarantees that a present member has a PIN. */
export const sealedPin = (row: StaffRow): Buffer => Buffer.from(row.pinSealed ?? []);

export const memberMissing = () => new NotFoundError('STAFF_NOT_FOUND', 'There is no such staff member');

const pinTaken = () => new ConflictError('PIN_TAKEN', 'Another staff member has this PIN');

function refuseReadOnly(row: StaffRow, { id, createdAt }: UpdateStaff): void {
  if (id !== undefined && id.toLowerCase() !== row.id)
    throw new InvalidInputError('READ_ONLY_FIELD', 'id cannot be changed');
  if (createdAt !== undefined && parseInstant(createdAt)?.getTime() !== row.createdAt.getTime())
    throw new InvalidInputError('READ_ONLY_FIELD', 'createdAt cannot be changed');
}

/** Runs a change and converts database errors to errors of this module. */
async function refusing<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (isPrismaConflict(error)) throw pinTaken();
    if (isPrismaMissing(error)) throw memberMissing();
    throw error;
  }
}
