import { Injectable } from '@nestjs/common';
import type { ACTOR_KINDS } from '../common/access/principal.js';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { firstIdAt, isId } from '../common/crypto/ids.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { Database, type Statement } from '../data/database.js';
import type { AuditEntryDto, AuditFilter, AuditPage, ListAudit } from './dto/audit.dto.js';
import { idsOf, Names } from './names.service.js';

const DEFAULT_LIMIT = 50;
/** Of a walk over all entries: small enough that no statement takes long. */
const WALKED_AT_ONCE = 1_000;

interface AuditRow {
  readonly id: string;
  readonly actor_kind: (typeof ACTOR_KINDS)[number];
  readonly actor_id: string | null;
  readonly action: string;
  readonly subject_id: string | null;
  readonly detail: Record<string, unknown>;
  readonly address: string | null;
  readonly client: string | null;
  readonly created_at: Date;
}

/** Ids begin with the time they were made at, so their order is that of time. A filter that is null is none. */
const PAGE: Statement = {
  name: 'audit_page',
  text: `SELECT id, actor_kind, actor_id, action, subject_id, detail, address, client, created_at FROM audit_entry
    WHERE ($1::uuid IS NULL OR id < $1) AND ($2::uuid IS NULL OR id >= $2) AND ($3::uuid IS NULL OR id < $3)
      AND ($4::text IS NULL OR action = $4 OR starts_with(action, $4 || '.'))
      AND ($5::actor_kind IS NULL OR actor_kind = $5) AND ($6::text IS NULL OR actor_id = $6)
      AND ($7::text IS NULL OR subject_id = $7) AND ($8::text IS NULL OR address = $8)
    ORDER BY id DESC LIMIT $9`,
};

/** Reads the record of what people did. */
@Injectable()
export class AuditList {
  constructor(
    private readonly database: Database,
    private readonly names: Names,
  ) {}

  /** A page, newest first. */
  async list(query: ListAudit): Promise<AuditPage> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    if (query.cursor && !isId(query.cursor))
      throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
    const rows = await this.page(query, query.cursor ?? null, limit + 1);
    const data = rows.slice(0, limit);
    const nextCursor = rows.length > limit ? (data.at(-1)?.id ?? null) : null;
    return { data, limit, nextCursor, names: await this.names.of(data.flatMap(idsOf)) };
  }

  /** All entries of a filter, newest first, some at a time. */
  async *walk(filter: AuditFilter): AsyncGenerator<AuditEntryDto[], void, undefined> {
    let after: string | null = null;
    for (;;) {
      const entries: AuditEntryDto[] = await this.page(filter, after, WALKED_AT_ONCE);
      if (entries.length > 0) yield entries;
      if (entries.length < WALKED_AT_ONCE) return;
      after = entries.at(-1)?.id ?? null;
    }
  }

  private async page(filter: AuditFilter, after: string | null, limit: number): Promise<AuditEntryDto[]> {
    const rows = await this.database.query<AuditRow>(PAGE, [
      after,
      firstIdOf(filter.from),
      firstIdOf(filter.to),
      filter.action ?? null,
      filter.actor ?? null,
      filter.actorId ?? null,
      filter.subjectId ?? null,
      filter.address ?? null,
      limit,
    ]);
    return rows.map(toEntry);
  }
}

function firstIdOf(text: string | undefined): string | null {
  const time = text ? parseInstant(text) : undefined;
  return time ? firstIdAt(time) : null;
}

const toEntry = (row: AuditRow): AuditEntryDto => ({
  id: row.id,
  actor: row.actor_kind,
  actorId: row.actor_id,
  action: row.action,
  subjectId: row.subject_id,
  detail: row.detail,
  address: row.address,
  client: row.client,
  createdAt: row.created_at.toISOString(),
});
