import { Injectable } from '@nestjs/common';
import { actorOf, type Principal } from '../common/access/principal.js';
import { type ChangedRowList, type ImportDto, toImport } from './dto/import.dto.js';
import { ImportsService } from './imports.service.js';
import { ImportKinds } from './kinds/import-kinds.service.js';

/** Undoes whole imports. */
@Injectable()
export class ImportUndo {
  constructor(
    private readonly imports: ImportsService,
    private readonly kinds: ImportKinds,
  ) {}

  /**
   * Takes back everything that an import wrote: all or nothing. A repeat changes nothing.
   * @throws ConflictError `IMPORT_CHANGED` if rows were changed after the import; `IMPORT_OVER` before the end of the import
   */
  async undo(caller: Principal, id: string): Promise<ImportDto> {
    const found = await this.imports.row(caller, id);
    if (found.status === 'undone') return toImport(found);
    await this.kinds.of(found.kind).undo(found, actorOf(caller));
    return await this.imports.get(caller, id);
  }

  /** Returns the rows that were changed after the import. These rows prevent an undo. */
  async changedRows(caller: Principal, id: string): Promise<ChangedRowList> {
    const found = await this.imports.row(caller, id);
    return { data: await this.kinds.of(found.kind).changedRows(found) };
  }
}
