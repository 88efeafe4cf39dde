import { Injectable } from '@nestjs/common';
import { isId } from '../common/crypto/ids.js';
import { PrismaService } from '../data/prisma.service.js';
import type { AuditEntryDto } from './dto/audit.dto.js';

/** Names, keyed by id. */
export type NamesById = Readonly<Record<string, string>>;

/**
 * Current names of accounts, staff members, events, terminals and API keys. Audit entries store only ids, so a deleted or corrected name
 * changes in all entries at once.
 */
@Injectable()
export class Names {
  constructor(private readonly prisma: PrismaService) {}

  /** Returns the name of each id. Omits unknown and deleted ids. */
  async of(ids: Iterable<unknown>): Promise<NamesById> {
    const asked = [...new Set(ids)].filter((id): id is string => typeof id === 'string' && isId(id));
    if (asked.length === 0) return {};
    const { admin, staffMember, event, terminal, apiKey } = await this.prisma.client();
    // Ids are unique across all tables.
    const where = { id: { in: asked } };
    const shown = { where, select: { id: true, name: true } } as const;
    const [admins, ...others] = await Promise.all([
      admin.findMany({ where, select: { id: true, name: true, email: true } }),
      staffMember.findMany(shown),
      event.findMany(shown),
      terminal.findMany(shown),
      apiKey.findMany(shown),
    ]);
    return Object.fromEntries([
      ...admins.map(({ id, name, email }) => [id, name ?? email] as const),
      ...others.flat().map(({ id, name }) => [id, name] as const),
    ]);
  }
}

/** Returns all ids of an audit entry: actor, subject, and the values of its detail. */
export const idsOf = ({
  actorId,
  subjectId,
  detail,
}: Pick<AuditEntryDto, 'actorId' | 'subjectId' | 'detail'>): unknown[] => [
  actorId,
  subjectId,
  ...Object.values(detail),
];
