import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { signInsOn } from '../audit/terminal-sign-ins.sql.js';
import { DeviceTokens } from '../auth/device-tokens.service.js';
import { SessionService } from '../auth/sessions/session.service.js';
import { STAFF_TOKEN_SECONDS } from '../auth/tokens.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { EditConflictError, NotFoundError, UnauthorizedError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import { Database, type Statement } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import { RELEASE_LASTS } from '../donations/recording/taken-by.js';
import {
  type Heartbeat,
  type HeartbeatAnswer,
  type RenameTerminal,
  type RevokedTerminal,
  type TerminalDto,
  type TerminalList,
  toTerminal,
} from './dto/terminal.dto.js';

const SHOWN = {
  staff: { select: { id: true, name: true } },
  event: { select: { id: true, slug: true, name: true } },
} as const;
const MOST_LISTED = 1_000;

/**
 * $1: terminal; $2: waiting records; $3: version of the page; $4: signed-in member; $5: duration of a sign-in in seconds. The
 * member is stored only after a sign-in on this terminal, so that a stolen device token cannot show a member at another
 * terminal.
 */
const BEAT: Statement = {
  name: 'terminal_beat',
  text: `UPDATE terminal SET last_used_at = now(), waiting = $2, app_version = coalesce($3, app_version),
      staff_id = (SELECT id FROM staff_member WHERE id = $4 AND deleted_at IS NULL AND EXISTS (
        ${signInsOn('$1::uuid', '$4::uuid')}
          AND sign_in.created_at > now() - make_interval(secs => $5)))
    WHERE id = $1 AND revoked_at IS NULL
    RETURNING id, name, CASE WHEN released_at > now() - interval '${RELEASE_LASTS}' THEN released_at END AS released_at, (
      SELECT json_build_object('eventId', twin.id, 'name', twin.name) FROM event twin
      WHERE twin.rehearsal_of IS NOT NULL AND twin.status <> 'archived'
        AND (terminal.event_id IS NULL OR twin.rehearsal_of = terminal.event_id)
      ORDER BY twin.id DESC LIMIT 1) AS rehearsal`,
};

interface BeatRow {
  readonly id: string;
  readonly name: string;
  readonly released_at: Date | null;
  readonly rehearsal: HeartbeatAnswer['rehearsal'];
}

/** Manages enrolled terminals and their status reports. */
@Injectable()
export class Terminals {
  constructor(
    private readonly prisma: PrismaService,
    private readonly database: Database,
    private readonly tokens: DeviceTokens,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
  ) {}

  async list(): Promise<TerminalList> {
    const rows = await (
      await this.prisma.client()
    ).terminal.findMany({
      include: SHOWN,
      orderBy: [{ revokedAt: { sort: 'desc', nulls: 'first' } }, { name: 'asc' }, { id: 'asc' }],
      take: MOST_LISTED,
    });
    return { data: rows.map(toTerminal) };
  }

  /**
   * @throws NotFoundError `TERMINAL_NOT_FOUND`, also for a revoked terminal
   * @throws EditConflictError if the name is neither the expected name nor the new one
   */
  async rename(caller: Principal, id: string, { name, expected }: RenameTerminal): Promise<TerminalDto> {
    const trail = { subjectId: id.toLowerCase(), actions: ['terminal.rename'] };
    const known = expected?.name;
    const allowed = known === undefined ? {} : { name: { in: [name, ...(isText(known) ? [known] : [])] } };
    return await this.conflicts.explaining(caller, [trail], () =>
      this.change(caller, id, { action: 'terminal.rename', data: { name }, allowed }),
    );
  }

  /**
   * For one day, allows any signed-in member to send the records that are waiting on the terminal. A repeated call starts a new
   * day.
   */
  async release(caller: Principal, id: string): Promise<TerminalDto> {
    return await this.change(caller, id, { action: 'terminal.release', data: { releasedAt: new Date() } });
  }

  /** Invalidates the device token of a terminal and ends all sessions on the terminal. A repeated call changes nothing. */
  async revoke(caller: Principal, id: string): Promise<RevokedTerminal> {
    const found = isId(id) ? await (await this.prisma.client()).terminal.findUnique({ where: { id } }) : null;
    if (!found) throw terminalMissing();
    const revoked = await this.prisma.transaction(async (tx) => {
      const where = { id: found.id, revokedAt: null };
      const { count } = await tx.terminal.updateMany({ where, data: { revokedAt: new Date() } });
      if (count > 0)
        await this.audit.record(actorOf(caller), 'terminal.revoke', found.id, { waiting: found.waiting }, tx);
      return count > 0;
    });
    // Sessions of other members on the terminal end within seconds, when their cached check expires.
    if (revoked && found.staffId !== null) this.sessions.revoked(`staff:${found.staffId}`);
    return { id: found.id, deleted: true };
  }

  /** @throws UnauthorizedError `TERMINAL_REVOKED` without the token of an enrolled terminal */
  async beat(request: Request, { waiting, appVersion, staffId }: Heartbeat): Promise<HeartbeatAnswer> {
    const terminal = await this.tokens.terminalOf(request);
    const [row] = terminal
      ? await this.database.query<BeatRow>(BEAT, [
          terminal.id,
          waiting,
          appVersion ?? null,
          staffId ?? null,
          STAFF_TOKEN_SECONDS,
        ])
      : [];
    if (!row) throw new UnauthorizedError('TERMINAL_REVOKED', 'This terminal is no longer enrolled');
    return {
      terminal: { id: row.id, name: row.name },
      serverTime: new Date().toISOString(),
      release: row.released_at && { before: row.released_at.toISOString() },
      rehearsal: row.rehearsal,
    };
  }

  private async change(
    caller: Principal,
    id: string,
    { action, data, allowed = {} }: TerminalChange,
  ): Promise<TerminalDto> {
    if (!isId(id)) throw terminalMissing();
    return await this.prisma.transaction(async (tx) => {
      const present = { id, revokedAt: null };
      const { count } = await tx.terminal.updateMany({ where: { ...present, ...allowed }, data });
      const row = await tx.terminal.findFirst({ where: present, include: SHOWN });
      if (!row) throw terminalMissing();
      if (count === 0) throw new EditConflictError([{ field: 'name', value: row.name }]);
      const detail = { waiting: row.waiting, ...(data.name === undefined ? {} : { renamed: true }) };
      await this.audit.record(actorOf(caller), action, row.id, detail, tx);
      return toTerminal(row);
    });
  }
}

interface TerminalChange {
  readonly action: 'terminal.release' | 'terminal.rename';
  readonly data: { readonly name: string } | { readonly name?: never; readonly releasedAt: Date };
  /** Stored values with which the change is allowed; without it, the last change wins. */
  readonly allowed?: Prisma.TerminalWhereInput;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const terminalMissing = () =>
  new NotFoundError('TERMINAL_NOT_FOUND', 'The terminal does not exist or was revoked');
