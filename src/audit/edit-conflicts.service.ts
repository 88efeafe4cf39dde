import { Injectable } from '@nestjs/common';
import { can, type Principal } from '../common/access/principal.js';
import { EditConflictError } from '../common/errors/domain-errors.js';
import type { EditConflictField } from '../common/errors/error-body.js';
import { PrismaService } from '../data/prisma.service.js';
import { Names } from './names.service.js';

/** Selects the audit entries about changes of one record. */
export interface EditTrail {
  /** Id of the record; null for the global settings. */
  readonly subjectId: string | null;
  readonly actions: readonly string[];
}

/** Number of newest entries searched for the last change of a field. This is enough, because a conflicting change is recent. */
const LOOKED_AT = 200;

/** Adds the person and the time of each change to the answer 409 `EDIT_CONFLICT`. */
@Injectable()
export class EditConflicts {
  constructor(
    private readonly prisma: PrismaService,
    private readonly names: Names,
  ) {}

  /**
   * Runs a change. If an edit conflict occurs and the caller may read the audit log, adds the person and the time of the other
   * change to the error.
   * @throws EditConflictError
   */
  async explaining<Result>(
    caller: Principal,
    trails: readonly EditTrail[],
    change: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof EditConflictError) || !can(caller, 'audit:read')) throw error;
      throw new EditConflictError(await this.explained(error.details, trails));
    }
  }

  private async explained(
    details: readonly EditConflictField[],
    trails: readonly EditTrail[],
  ): Promise<EditConflictField[]> {
    const { auditEntry } = await this.prisma.client();
    const entries = await auditEntry.findMany({
      where: {
        OR: trails.map(({ subjectId, actions }) => ({ subjectId, action: { in: [...actions] } })),
      },
      orderBy: { id: 'desc' },
      take: LOOKED_AT,
    });
    const found = details.map((detail) => ({
      detail,
      entry: entries.find((entry) => hasChanged(entry, detail.field)),
    }));
    const names = await this.names.of(found.map(({ entry }) => entry?.actorId));
    return found.map(({ detail, entry }) =>
      entry
        ? {
            field: detail.field,
            ...('value' in detail && { value: detail.value }),
            by: {
              actor: entry.actorKind,
              id: entry.actorId,
              name: names[entry.actorId ?? ''] ?? null,
            },
            at: entry.createdAt.toISOString(),
          }
        : detail,
    );
  }
}

/**
 * True if the action of the entry changed the field. The entry may contain the field, a part of the field, or
 * an object around the field.
 */
function hasChanged({ action, detail }: { action: string; detail: unknown }, field: string): boolean {
  if (action.endsWith('.clear')) return true;
  // The currency is not a changed field. It only describes the amounts of the entry.
  const { fields, renamed, newPin, currency: _, ...others } = detail as Record<string, unknown>;
  const changed = [
    ...(Array.isArray(fields) ? (fields as unknown[]) : []),
    ...(renamed === true ? ['name'] : []),
    ...(newPin === true ? ['code'] : []),
    ...Object.keys(others),
  ];
  return changed.some(
    (name) =>
      typeof name === 'string' &&
      (name === field || field.startsWith(`${name}.`) || name.startsWith(`${field}.`)),
  );
}
