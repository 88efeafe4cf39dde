import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError } from '../common/errors/domain-errors.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import { type GuestBefore, GuestImport, type ImportedRow } from '../guests/import/guest-import.service.js';
import { lockPaddles } from '../guests/paddles.js';
import { type ChangedRowList, type ImportDto, toImport } from './dto/import.dto.js';
import { importOver, ImportsService } from './imports.service.js';

/** Undoes whole imports. */
@Injectable()
export class ImportUndo {
  constructor(
    private readonly prisma: PrismaService,
    private readonly imports: ImportsService,
    private readonly guests: GuestImport,
    private readonly audit: Audit,
  ) {}

  /**
   * Deletes the guests that an import created, and restores the earlier values of the changed guests: all or
   * none. A repeat changes nothing.
   * @throws ConflictError `IMPORT_CHANGED` if guests were changed after the import; `IMPORT_OVER` before the
   * end of the import
   */
  async undo(caller: Principal, id: string): Promise<ImportDto> {
    const found = await this.imports.row(caller, id);
    if (found.status === 'undone') return toImport(found);
    await this.prisma.transaction(async (tx) => {
      await lockPaddles(tx, found.eventId);
      const { count } = await tx.tableImport.updateMany({
        where: { id: found.id, status: 'done' },
        data: { status: 'undone', undoneAt: new Date() },
      });
      if (count === 0) throw importOver();
      const rows = await rowsOf(tx, found.id);
      const changed = await this.guests.changedSince(tx, found.eventId, rows);
      if (changed.length > 0) throw changedLater(changed.map(({ number }) => number));
      await this.guests.undo(tx, rows);
      await tx.tableImportRow.deleteMany({ where: { importId: found.id } });
      await this.audit.record(actorOf(caller), 'import.undo', found.id, { rows: rows.length }, tx);
    });
    return await this.imports.get(caller, id);
  }

  /** Returns the rows whose guests were changed after the import. These rows prevent an undo. */
  async changedRows(caller: Principal, id: string): Promise<ChangedRowList> {
    const { id: found, eventId } = await this.imports.row(caller, id);
    return await this.prisma.transaction(async (tx) => ({
      data: await this.guests.changedSince(tx, eventId, await rowsOf(tx, found)),
    }));
  }
}

async function rowsOf(tx: Prisma.TransactionClient, importId: string): Promise<ImportedRow[]> {
  const rows = await tx.tableImportRow.findMany({ where: { importId }, orderBy: { number: 'asc' } });
  return rows.map((row) => ({ ...row, before: row.before as GuestBefore | null }));
}

const MOST_NAMED = 20;

function changedLater(numbers: readonly number[]): ConflictError {
  const named = numbers.slice(0, MOST_NAMED).join(', ');
  const more = numbers.length > MOST_NAMED ? ` and ${numbers.length - MOST_NAMED} more` : '';
  return new ConflictError('IMPORT_CHANGED', `Guests were changed after the import, in rows ${named}${more}`);
}
