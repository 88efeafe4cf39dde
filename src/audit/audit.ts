import { Injectable } from '@nestjs/common';
import type { Actor } from '../common/access/principal.js';
import { requestAddress, requestClient } from '../common/http/request-context.js';
import { newId } from '../common/crypto/ids.js';
import { Database, type SqlExecutor, type Statement } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';

/** The statement of one audit row, for those who have a connection and no application around them. */
export const RECORD_AUDIT: Statement = {
  name: 'audit_record',
  text: `INSERT INTO audit_entry (id, actor_kind, actor_id, action, subject_id, detail, address)
         VALUES ($1, $2::actor_kind, $3, $4, $5, $6::jsonb, $7)`,
};

const RECORD_OF_REQUEST: Statement = {
  name: 'audit_record_of_request',
  text: `INSERT INTO audit_entry (id, actor_kind, actor_id, action, subject_id, detail, address, client)
         VALUES ($1, $2::actor_kind, $3, $4, $5, $6::jsonb, $7, $8)`,
};

/** The record of what people did, and from which address. */
@Injectable()
export class Audit {
  constructor(private readonly database: Database) {}

  /**
   * Writes one row. Pass the open transaction as `executor` so that the deed and its record commit together.
   *
   * @param action such as `staff.delete`: the resource and what was done to it
   * @param detail what changed, without secrets and without personal data
   */
  async record(
    actor: Actor,
    action: string,
    subjectId: string | null,
    detail: Record<string, unknown> = {},
    executor: SqlExecutor | Prisma.TransactionClient = this.database,
  ): Promise<void> {
    if ('auditEntry' in executor)
      await executor.auditEntry.create({
        data: {
          id: newId(),
          actorKind: actor.kind,
          actorId: actor.id,
          action,
          subjectId,
          detail: detail as Prisma.InputJsonObject,
          address: requestAddress() ?? null,
          client: requestClient() ?? null,
        },
      });
    else
      await executor.query(RECORD_OF_REQUEST, [
        newId(),
        actor.kind,
        actor.id,
        action,
        subjectId,
        JSON.stringify(detail),
        requestAddress() ?? null,
        requestClient() ?? null,
      ]);
  }
}
