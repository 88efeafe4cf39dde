import { Injectable } from '@nestjs/common';
import { SessionService } from '../auth/sessions/session.service.js';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../common/errors/domain-errors.js';
import { isId, newId } from '../common/ids.js';
import { parseInstant } from '../common/validation/value.decorators.js';
import { Audit } from '../data/audit.js';
import { Database, isUniqueViolation, type SqlExecutor, type Transaction } from '../data/database.js';
import {
  type CreateStaff,
  type Removed,
  type StaffMember,
  toStaffMember,
  type UpdateStaff,
} from './dto/staff.dto.js';
import { Pins } from './pins.js';
import {
  GET_STAFF,
  INSERT_STAFF,
  LIST_STAFF,
  LOCK_STAFF,
  REMOVE_STAFF,
  RENAME_STAFF,
  REPLACE_PIN,
  type StaffRow,
  UNASSIGN_EVERYWHERE,
} from './staff.sql.js';

const PIN_UNIQUE = 'staff_member_pin_digest_key';
/** Chances that a generated PIN is taken are small until very many are. */
const GENERATE_ATTEMPTS = 20;

/** The people who collect. */
@Injectable()
export class StaffService {
  constructor(
    private readonly database: Database,
    private readonly pins: Pins,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
  ) {}

  async list(): Promise<StaffMember[]> {
    const rows = await this.database.query<StaffRow>(LIST_STAFF);
    return rows.map((row) => this.shown(row));
  }

  /** @throws NotFoundError STAFF_NOT_FOUND, also for a removed member and for what is no id */
  async get(id: string): Promise<StaffMember> {
    return this.shown(await this.row(this.database, id));
  }

  /** @throws ConflictError PIN_TAKEN when another member has the chosen PIN */
  async create(actor: Principal, { name, code }: CreateStaff): Promise<StaffMember> {
    if (code) return await this.insert(actor, name, code);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.insert(actor, name, this.pins.generate());
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt >= GENERATE_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * @throws InvalidInputError READ_ONLY when `id` or `createdAt` was sent with another value
   * @throws ConflictError PIN_TAKEN
   */
  async update(actor: Principal, id: string, changes: UpdateStaff): Promise<StaffMember> {
    const { member, ended } = await pinConflicts(() =>
      this.database.transaction(async (tx) => {
        const before = await this.row(tx, id, true);
        refuseReadOnly(before, changes);
        const newPin =
          changes.code && changes.code !== this.pins.show(before.pin_sealed) ? changes.code : undefined;
        const [renamed = before] = await tx.query<StaffRow>(RENAME_STAFF, [before.id, changes.name]);
        const after = newPin ? await this.replacePin(tx, before.id, newPin) : renamed;
        const detail = { renamed: before.name !== after.name, newPin: newPin !== undefined };
        await this.audit.record(actor, 'staff.update', before.id, detail, tx);
        return { member: after, ended: newPin !== undefined };
      }),
    );
    if (ended) this.sessions.revoked(`staff:${member.id}`);
    return this.shown(member);
  }

  /** Removes a member for good; what they collected stays under their name. */
  async remove(actor: Principal, id: string): Promise<Removed> {
    const removed = await this.database.transaction(async (tx) => {
      const { id: found } = await this.row(tx, id, true);
      await tx.query(REMOVE_STAFF, [found]);
      await tx.query(UNASSIGN_EVERYWHERE, [found]);
      await this.audit.record(actor, 'staff.delete', found, {}, tx);
      return found;
    });
    this.sessions.revoked(`staff:${removed}`);
    return { id: removed, deleted: true };
  }

  private async insert(actor: Principal, name: string, pin: string): Promise<StaffMember> {
    const { digest, sealed } = this.pins.keep(pin);
    const row = await pinConflicts(() =>
      this.database.transaction(async (tx) => {
        const id = newId();
        const [created] = await tx.query<StaffRow>(INSERT_STAFF, [id, name, digest, sealed]);
        await this.audit.record(actor, 'staff.create', id, {}, tx);
        return created;
      }),
    );
    if (!row) throw new Error('The staff member was not stored');
    return toStaffMember(row, pin);
  }

  private async replacePin(tx: Transaction, id: string, pin: string): Promise<StaffRow> {
    const { digest, sealed } = this.pins.keep(pin);
    const [row] = await tx.query<StaffRow>(REPLACE_PIN, [id, digest, sealed]);
    if (!row) throw memberMissing();
    return row;
  }

  private async row(executor: SqlExecutor, id: string, lock = false): Promise<StaffRow> {
    if (!isId(id)) throw memberMissing();
    const [row] = await executor.query<StaffRow>(lock ? LOCK_STAFF : GET_STAFF, [id]);
    if (!row) throw memberMissing();
    return row;
  }

  private shown(row: StaffRow): StaffMember {
    return toStaffMember(row, this.pins.show(row.pin_sealed));
  }
}

export const memberMissing = () => new NotFoundError('STAFF_NOT_FOUND', 'There is no such staff member');

function refuseReadOnly(row: StaffRow, { id, createdAt }: UpdateStaff): void {
  if (id !== undefined && id.toLowerCase() !== row.id)
    throw new InvalidInputError('READ_ONLY', 'id cannot be changed');
  if (createdAt !== undefined && parseInstant(createdAt)?.getTime() !== row.created_at.getTime())
    throw new InvalidInputError('READ_ONLY', 'createdAt cannot be changed');
}

async function pinConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, PIN_UNIQUE))
      throw new ConflictError('PIN_TAKEN', 'Another staff member has this PIN');
    throw error;
  }
}
