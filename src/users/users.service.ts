import { Injectable } from '@nestjs/common';
import { AccountNotices } from '../auth/account-notices.service.js';
import { forgetInvitations, KNOWN_ROLE } from '../auth/known-admin.js';
import { AdminSessions } from '../auth/sessions/admin-sessions.service.js';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError, EditConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { newId } from '../common/crypto/ids.js';
import { unexpectedValues } from '../common/validation/expected.js';
import { PrismaService } from '../data/prisma.service.js';
import {
  type InvitedUser,
  type InviteUser,
  READ_ONLY_FIELDS,
  type UpdateUser,
  type User,
  type UserRemoved,
} from './dto/user.dto.js';
import { InvitationLinks } from './invitations.service.js';
import { LastAdmin } from './last-admin.js';
import { keepsUsers, lockedUser, mayKeepUsers, refuseOwn, toUser, USER, userRow } from './user-row.js';

/** Manages users who sign in by password or identity provider. */
@Injectable()
export class UsersService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly links: InvitationLinks,
    private readonly lastAdmin: LastAdmin,
    private readonly sessions: AdminSessions,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
    private readonly notices: AccountNotices,
  ) {}

  async list(): Promise<User[]> {
    const { admin } = await this.prisma.client();
    const rows = await admin.findMany({
      where: { role: KNOWN_ROLE },
      select: USER,
      orderBy: { email: 'asc' },
    });
    return rows.map(toUser);
  }

  /**
   * Creates an account without a password, and a link with which the user sets a password.
   * @throws ConflictError EMAIL_TAKEN if any account already has the address, even a disabled one
   */
  async invite(actor: Principal, { email, role, name = null }: InviteUser): Promise<InvitedUser> {
    const id = newId();
    const { user, link } = await this.prisma.transaction(async (tx) => {
      const data = { id, email, name, role };
      const { count } = await tx.admin.createMany({ data, skipDuplicates: true });
      if (count === 0)
        throw new ConflictError('EMAIL_TAKEN', 'An account with this e-mail address already exists');
      const issued = await this.links.issue(tx, id);
      await this.audit.record(actorOf(actor), 'admin.create', id, { role, invited: true }, tx);
      return { user: toUser(await userRow(tx, id)), link: issued };
    });
    const emailed = await this.links.send(user, link, true);
    return Object.assign({}, user, { inviteUrl: link.inviteUrl, emailed });
  }

  /**
   * Creates a new link for a user whose invitation has expired or who forgot the password. The old password stays
   * valid until the link is used.
   * @throws ConflictError USER_DISABLED, OWN_ACCOUNT
   */
  async inviteAgain(actor: Principal, userId: string): Promise<InvitedUser> {
    refuseOwn(actor, userId);
    const { user, link } = await this.prisma.transaction(async (tx) => {
      const { id, state } = toUser(await lockedUser(tx, userId));
      if (state === 'disabled')
        throw new ConflictError('USER_DISABLED', 'The account is disabled; enable it first');
      const issued = await this.links.issue(tx, id);
      await this.audit.record(actorOf(actor), 'admin.invite', id, {}, tx);
      return { user: toUser(await userRow(tx, id)), link: issued };
    });
    const emailed = await this.links.send(user, link, user.state === 'invited');
    return Object.assign({}, user, { inviteUrl: link.inviteUrl, emailed });
  }

  /**
   * Changes a user. If the role changes or the account is disabled, all sessions and sockets of the user end at once.
   * @throws InvalidInputError READ_ONLY_FIELD
   * @throws ConflictError LAST_ADMIN
   * @throws EditConflictError if a field does not have its expected value
   */
  async update(actor: Principal, userId: string, changes: UpdateUser): Promise<User> {
    const trail = { subjectId: userId.toLowerCase(), actions: ['admin.update'] };
    return await this.conflicts.explaining(actor, [trail], () => this.change(actor, userId, changes));
  }

  private async change(actor: Principal, userId: string, changes: UpdateUser): Promise<User> {
    return await this.prisma.transaction(async (tx) => {
      await this.lastAdmin.lockAdmins(tx);
      const before = await lockedUser(tx, userId);
      refuseReadOnly(toUser(before), changes);
      const wasDisabled = before.disabledAt !== null;
      const { expected = {}, ...sent } = changes;
      const stored = { role: before.role, name: before.name, disabled: wasDisabled };
      const unexpected = unexpectedValues({ ...expected }, { ...sent }, stored);
      if (unexpected.length > 0) throw new EditConflictError(unexpected);
      const { role = before.role, name = before.name, disabled = wasDisabled } = changes;
      const newRole = role !== before.role;
      if (!newRole && name === before.name && disabled === wasDisabled) return toUser(before);
      const disabledAt = disabled ? (before.disabledAt ?? new Date()) : null;
      const data = { name, role, disabledAt };
      await tx.admin.update({ where: { id: before.id }, data, select: { id: true } });
      if (keepsUsers(before) && (!mayKeepUsers(role) || disabled)) await this.lastAdmin.assertOneLeft(tx);
      if (newRole || (disabled && !wasDisabled)) await this.sessions.endAll(tx, before.id);
      // Deletes earlier links, because they would work again when the account is enabled.
      if (disabled && !wasDisabled) await forgetInvitations(tx, before.id);
      await this.audit.record(
        actorOf(actor),
        'admin.update',
        before.id,
        {
          ...(newRole ? { role: { before: before.role, after: role } } : {}),
          ...(disabled !== wasDisabled ? { disabled: { before: wasDisabled, after: disabled } } : {}),
          // A name is personal data, so the audit log only stores that it changed.
          ...(name !== before.name ? { renamed: true } : {}),
        },
        tx,
      );
      if (newRole) await this.notices.send(tx, before.id, 'role');
      if (disabled !== wasDisabled) await this.notices.send(tx, before.id, disabled ? 'disabled' : 'enabled');
      return toUser(await userRow(tx, before.id));
    });
  }

  /**
   * Deletes an account with its password, sessions and identity. Audit entries of the account keep its id.
   * @throws ConflictError LAST_ADMIN
   */
  async remove(actor: Principal, userId: string): Promise<UserRemoved> {
    return await this.prisma.transaction(async (tx) => {
      await this.lastAdmin.lockAdmins(tx);
      const user = await lockedUser(tx, userId);
      await this.sessions.endAll(tx, user.id);
      await this.notices.send(tx, user.id, 'removed');
      // This also deletes the sessions, invitations and codes of the account.
      await tx.admin.delete({ where: { id: user.id }, select: { id: true } });
      if (keepsUsers(user)) await this.lastAdmin.assertOneLeft(tx);
      await this.audit.record(actorOf(actor), 'admin.remove', user.id, { role: user.role }, tx);
      return { id: user.id, deleted: true };
    });
  }
}

function refuseReadOnly(user: User, sent: UpdateUser): void {
  const changed = READ_ONLY_FIELDS.filter(
    (field) => sent[field] !== undefined && JSON.stringify(sent[field]) !== JSON.stringify(user[field]),
  );
  if (changed.length > 0)
    throw new InvalidInputError('READ_ONLY_FIELD', `${changed.join(', ')} cannot be changed`);
}
