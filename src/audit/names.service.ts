import { Injectable } from '@nestjs/common';
import { isId } from '../common/crypto/ids.js';
import { Database, type SqlExecutor, type Statement } from '../data/database.js';
import type { AuditEntryDto } from './dto/audit.dto.js';

/** Ids are unique over all tables. */
const NAMES: Statement = {
  name: 'audit_names',
  text: `SELECT id, coalesce(name, email) AS name FROM admin WHERE id = ANY($1::uuid[])
    UNION ALL SELECT id, name FROM staff_member WHERE id = ANY($1::uuid[])
    UNION ALL SELECT id, name FROM event WHERE id = ANY($1::uuid[])
    UNION ALL SELECT id, name FROM terminal WHERE id = ANY($1::uuid[])`,
};

/** Names by ids. */
export type NamesById = Readonly<Record<string, string>>;

/**
 * What accounts, staff members, events and terminals are called now. The records themselves keep ids only, so that a name
 * that is erased or corrected is so everywhere.
 */
@Injectable()
export class Names {
  constructor(private readonly database: Database) {}

  /** Of those ids that name one of them; of others, and of what is gone, nothing. */
  async of(ids: Iterable<unknown>, db: SqlExecutor = this.database): Promise<NamesById> {
    const asked = [...new Set(ids)].filter((id) => typeof id === 'string' && isId(id));
    if (asked.length === 0) return {};
    const rows = await db.query<{ id: string; name: string }>(NAMES, [asked]);
    return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
  }
}

/** Every id that an entry of the audit has: who, what, and in its detail. */
export const idsOf = ({
  actorId,
  subjectId,
  detail,
}: Pick<AuditEntryDto, 'actorId' | 'subjectId' | 'detail'>): unknown[] => [
  actorId,
  subjectId,
  ...Object.values(detail),
];
