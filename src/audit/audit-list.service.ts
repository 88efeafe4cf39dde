import { Injectable } from '@nestjs/common';
import { ACTOR_KINDS } from '../common/access/principal.js';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { firstIdAt, isId } from '../common/crypto/ids.js';
import { withoutWildcards } from '../common/text/text.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import type { AuditEntry, Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import type { AuditEntryDto, AuditFilter, AuditPage, ListAudit } from './dto/audit.dto.js';
import { idsOf, Names } from './names.service.js';

const DEFAULT_LIMIT = 50;
/** Number of rows per query of `walk`. So each query takes little time. */
const WALKED_AT_ONCE = 1_000;

/** Reads only known actor kinds: one row with a kind of a newer release would make the whole Prisma query fail. */
const KNOWN = { in: [...ACTOR_KINDS] };

/** Reads the audit log. */
@Injectable()
export class AuditList {
  constructor(
    private readonly prisma: PrismaService,
    private readonly names: Names,
  ) {}

  /** Returns one page of entries, newest first. */
  async list(query: ListAudit): Promise<AuditPage> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    if (query.cursor && !isId(query.cursor))
      throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
    const rows = await this.page(query, query.cursor ?? null, limit + 1);
    const data = rows.slice(0, limit);
    const nextCursor = rows.length > limit ? (data.at(-1)?.id ?? null) : null;
    return { data, limit, nextCursor, names: await this.names.of(data.flatMap(idsOf)) };
  }

  /** Yields all entries that match a filter, newest first, in batches. */
  async *walk(filter: AuditFilter): AsyncGenerator<AuditEntryDto[], void, undefined> {
    let after: string | null = null;
    for (;;) {
      const entries: AuditEntryDto[] = await this.page(filter, after, WALKED_AT_ONCE);
      if (entries.length > 0) yield entries;
      if (entries.length < WALKED_AT_ONCE) return;
      after = entries.at(-1)?.id ?? null;
    }
  }

  /** Returns the entries about any of these subjects, oldest first. */
  async about(subjectIds: readonly string[]) {
    const { auditEntry } = await this.prisma.client();
    return await auditEntry.findMany({
      where: { actorKind: KNOWN, subjectId: { in: [...subjectIds] } },
      orderBy: { id: 'asc' },
      select: { actorKind: true, action: true, subjectId: true, detail: true, createdAt: true },
    });
  }

  private async page(filter: AuditFilter, after: string | null, limit: number): Promise<AuditEntryDto[]> {
    const { auditEntry } = await this.prisma.client();
    const where = whereOf(filter, after);
    return (await auditEntry.findMany({ where, orderBy: { id: 'desc' }, take: limit })).map(toEntry);
  }
}

/** Ids begin with their creation time, so ordering by id orders by time. */
const whereOf = (filter: AuditFilter, after: string | null): Prisma.AuditEntryWhereInput => ({
  AND: [
    after === null ? {} : { id: { lt: after } },
    { id: { gte: firstIdOf(filter.from), lt: firstIdOf(filter.to) } },
    filter.action
      ? {
          OR: [{ action: filter.action }, { action: { startsWith: `${withoutWildcards(filter.action)}.` } }],
        }
      : {},
  ],
  actorKind: filter.actor ?? KNOWN,
  actorId: filter.actorId ?? undefined,
  subjectId: filter.subjectId ?? undefined,
  address: filter.address ?? undefined,
});

function firstIdOf(text: string | undefined): string | undefined {
  const time = text ? parseInstant(text) : undefined;
  return time && firstIdAt(time);
}

const toEntry = (row: AuditEntry): AuditEntryDto => ({
  id: row.id,
  actor: row.actorKind,
  actorId: row.actorId,
  action: row.action,
  subjectId: row.subjectId,
  detail: row.detail as Record<string, unknown>,
  address: row.address,
  client: row.client,
  createdAt: row.createdAt.toISOString(),
});
