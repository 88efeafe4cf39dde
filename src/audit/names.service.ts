import { Injectable } from '@nestjs/common';
import { isId } from '../common/crypto/ids.js';
import { PrismaService } from '../data/prisma.service.js';
import type { AuditEntryDto } from './dto/audit.dto.js';

/** Names by ids. */
export type NamesById = Readonly<Record<string, string>>;

/**
 * What accounts, staff members, events and terminals are called now. The records themselves keep ids only, so that a name
 * that is erased or corrected is so everywhere.
 */
@Injectable()
export class Names {
  constructor(private readonly prisma: PrismaService) {}

  /** Of those ids that name one of them; of others, and of what is gone, nothing. */
  async of(ids: Iterable<unknown>): Promise<NamesById> {
    const asked = [...new Set(ids)].filter((id): id is string => typeof id === 'string' && isId(id));
    if (asked.length === 0) return {};
    const { admin, staffMember, event, terminal } = await this.prisma.client();
    // Ids are unique over all tables.
    const where = { id: { in: asked } };
    const shown = { where, select: { id: true, name: true } } as const;
    const [admins, ...others] = await Promise.all([
      admin.findMany({ where, select: { id: true, name: true, email: true } }),
      staffMember.findMany(shown),
      event.findMany(shown),
      terminal.findMany(shown),
    ]);
    return Object.fromEntries([
      ...admins.map(({ id, name, email }) => [id, name ?? email] as const),
      ...others.flat().map(({ id, name }) => [id, name] as const),
    ]);
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
