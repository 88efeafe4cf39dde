import { Injectable } from '@nestjs/common';
import type { AuditAction, AuditDetail } from './audit-actions.js';
import type { Actor } from '../common/access/principal.js';
import { requestAddress, requestClient } from '../common/http/request-context.js';
import { newId } from '../common/crypto/ids.js';
import type { SqlExecutor, Statement } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';

/** Inserts one row. Used by money transactions and operator commands, because they have no Prisma connection. */
const RECORD_AUDIT: Statement = {
  name: 'audit_record',
  text: `INSERT INTO audit_entry (id, actor_kind, actor_id, action, subject_id, detail, address, client)
         VALUES ($1, $2::actor_kind, $3, $4, $5, $6::jsonb, $7, $8)`,
};

/** The audit log: actions of people, with their IP addresses. */
@Injectable()
export class Audit {
  constructor(private readonly prisma: PrismaService) {}

  /**
   * Writes one row. Pass the open transaction as `executor` so that the action and its audit entry commit together.
   *
   * @param detail the keys of the action in `AUDIT_DETAILS`, without secrets and without personal data
   */
  async record<Action extends AuditAction, Detail extends object = object>(
    actor: Actor,
    action: Action,
    subjectId: string | null,
    detail?: AuditDetail<Action, Detail>,
    executor?: SqlExecutor | Prisma.TransactionClient,
  ): Promise<void> {
    await recordAudit(executor ?? (await this.prisma.client()), actor, action, subjectId, detail ?? {});
  }
}

/** Like `Audit.record`, for callers without dependency injection, such as operator commands. */
export async function recordAudit(
  executor: SqlExecutor | Prisma.TransactionClient,
  { kind: actorKind, id: actorId }: Actor,
  action: AuditAction,
  subjectId: string | null,
  detail: object,
): Promise<void> {
  const [id, address, client] = [newId(), requestAddress() ?? null, requestClient() ?? null];
  if ('auditEntry' in executor)
    await executor.auditEntry.create({
      data: {
        id,
        actorKind,
        actorId,
        action,
        subjectId,
        detail: detail,
        address,
        client,
      },
    });
  else
    await executor.query(RECORD_AUDIT, [
      id,
      actorKind,
      actorId,
      action,
      subjectId,
      JSON.stringify(detail),
      address,
      client,
    ]);
}
