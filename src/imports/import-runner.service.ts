import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { Database } from '../data/database.js';
import { withInstanceLock } from '../data/instance-lock.js';
import { PrismaService } from '../data/prisma.service.js';
import { type ImportDto, type ImportRow, toImport } from './dto/import.dto.js';
import { importOver } from './import-errors.js';
import { ImportsService } from './imports.service.js';
import { type OpenedImport, ROWS_AT_ONCE, type RowDecision } from './kinds/import-kind.js';
import { ImportKinds } from './kinds/import-kinds.service.js';
import { storedWrongRows, wrongRowsOf } from './wrong-rows.js';

/**
 * Imports uploaded lists in batches. A batch and its progress commit together. So after a crash, another run
 * continues with the next batch, and no row is imported twice.
 */
@Injectable()
export class ImportRunner {
  private readonly logger = new Logger(ImportRunner.name);

  constructor(
    private readonly prisma: PrismaService,
    private readonly database: Database,
    private readonly imports: ImportsService,
    private readonly kinds: ImportKinds,
    private readonly audit: Audit,
  ) {}

  /**
   * Starts an import. A repeat returns the import and starts nothing.
   * @throws ConflictError `IMPORT_OVER` after an undo; `TOO_MANY_GUESTS`
   * @throws InvalidInputError `COLUMNS_INCOMPLETE`
   */
  async start(caller: Principal, id: string): Promise<ImportDto> {
    const row = await this.imports.row(caller, id);
    if (row.status === 'undone') throw importOver();
    if (row.status !== 'uploaded') return toImport(row);
    await this.kinds.of(row.kind).assertStarts(row, () => this.opened(row.id));
    await this.prisma.transaction(async (tx) => {
      const { count } = await tx.tableImport.updateMany({
        where: { id: row.id, status: 'uploaded' },
        data: { status: 'running' },
      });
      const detail = { eventId: row.eventId, rows: row.rowCount };
      if (count > 0) await this.audit.record(actorOf(caller), 'import.start', row.id, detail, tx);
    });
    void this.runOrLog(row.id);
    return await this.imports.get(caller, id);
  }

  /** Reads the uploaded file; undefined if another request started this import and deleted the file at its end. */
  private async opened(id: string): Promise<OpenedImport | undefined> {
    const { tableImport } = await this.prisma.client();
    const found = await tableImport.findUnique({ where: { id } });
    return found?.file ? await this.imports.open(found, found.file) : undefined;
  }

  /** Continues the imports that a stopped process left unfinished. */
  @Cron('* * * * *')
  async resume(): Promise<void> {
    const { tableImport } = await this.prisma.client();
    const running = await tableImport.findMany({
      where: { status: 'running' },
      orderBy: { id: 'asc' },
      select: { id: true },
    });
    for (const { id } of running) await this.runOrLog(id);
  }

  /** A failed import does not stop the other imports. */
  private async runOrLog(id: string): Promise<void> {
    try {
      await this.run(id);
    } catch (error) {
      this.logger.error({
        msg: 'Import failed; it continues within a minute',
        importId: id,
        err: error as Error,
      });
    }
  }

  /** Imports the remaining rows, unless another process is importing them. */
  private async run(id: string): Promise<void> {
    await withInstanceLock(this.database.pool, `import ${id}`, async () => {
      const { tableImport } = await this.prisma.client();
      const found = await tableImport.findUnique({ where: { id } });
      if (found?.status !== 'running' || !found.file) return;
      const opened = await this.imports.open(found, found.file);
      const { headings, rows } = opened.table;
      const decided: RowDecision[] = [];
      for (let done = found.rowsDone; done < rows.length; done += ROWS_AT_ONCE)
        decided.push(...(await opened.write(done)));
      await this.finish(found, async () => {
        // After a crash, the earlier rows are decided again. A row that was already imported is recognized now.
        const decisions = found.rowsDone === 0 ? decided : await opened.decide();
        return storedWrongRows(wrongRowsOf(headings, rows, decisions));
      });
    });
  }

  private async finish({ id }: Pick<ImportRow, 'id'>, wrongRows: () => Promise<Buffer>): Promise<void> {
    const { tableImport } = await this.prisma.client();
    await tableImport.update({
      where: { id },
      data: {
        status: 'done',
        finishedAt: new Date(),
        file: null,
        wrongRows: new Uint8Array(await wrongRows()),
      },
    });
    this.logger.log({ msg: 'Import finished', importId: id });
  }
}
