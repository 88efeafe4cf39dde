import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import { withInstanceLock } from '../data/instance-lock.js';
import { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import type { CsvForm } from '../documents/table-file/csv-form.js';
import type { GuestField } from '../guests/import/guest-fields.js';
import { type GuestBefore, GuestImport } from '../guests/import/guest-import.service.js';
import { type Decision, type KeyedRow, ROWS_AT_ONCE } from '../guests/import/guest-plan.js';
import { MOST_GUESTS } from '../guests/guests.service.js';
import { lockPaddles } from '../guests/paddles.js';
import { type ImportDto, type ImportRow, toImport } from './dto/import.dto.js';
import { ImportFiles, keyedRows, wrongRowsFile } from './import-file.service.js';
import { assertNamed, countsOf, importOver, ImportsService } from './imports.service.js';

/** A row that was new or changed. All other rows are not stored. */
type Written = Extract<Decision, { outcome: 'created' | 'changed' }>;

interface StoredTable extends Pick<ImportRow, 'form' | 'columns'> {
  readonly file: Uint8Array;
}

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
    private readonly files: ImportFiles,
    private readonly guests: GuestImport,
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
    assertNamed(row.columns as (GuestField | null)[]);
    await this.assertFits(row);
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

  /**
   * Rows that are already guests add nothing. They are only looked for if all rows together would exceed the limit,
   * because this needs the whole file.
   * @throws ConflictError `TOO_MANY_GUESTS`
   */
  private async assertFits({ id, eventId, rowCount }: ImportRow): Promise<void> {
    const { guest, tableImport } = await this.prisma.client();
    const present = await guest.count({ where: { eventId } });
    if (present + rowCount <= MOST_GUESTS) return;
    const found = await tableImport.findUnique({ where: { id } });
    // Another request started this import in the meantime and deleted the file at its end.
    if (!found?.file) return;
    const { rows } = await this.read({ ...found, file: found.file });
    const { created } = countsOf(await this.imports.decide(eventId, rows));
    if (present + created > MOST_GUESTS)
      throw new ConflictError('TOO_MANY_GUESTS', `An event has at most ${MOST_GUESTS} guests`);
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
      const { table, rows } = await this.read({ ...found, file: found.file });
      const decided: Decision[] = [];
      for (let done = found.rowsDone; done < rows.length; done += ROWS_AT_ONCE)
        decided.push(...(await this.batch(found, done, rows.slice(done, done + ROWS_AT_ONCE))));
      await this.finish(id, async () => {
        // After a crash, the earlier rows are decided again. A row that was already imported matches its
        // guest now.
        const decisions = found.rowsDone === 0 ? decided : await this.imports.decide(found.eventId, rows);
        return wrongRowsFile(table.headings, table.rows, decisions);
      });
    });
  }

  private async read({ file, form, columns }: StoredTable) {
    const table = await this.files.table(file, (form as CsvForm | null) ?? {});
    return { table, rows: await keyedRows(table.rows, columns as (GuestField | null)[]) };
  }

  private async batch(
    { id, eventId }: ImportRow,
    rowsDone: number,
    rows: readonly KeyedRow[],
  ): Promise<Decision[]> {
    return await this.prisma.transaction(async (tx) => {
      await lockPaddles(tx, eventId);
      const plan = await this.guests.plan(tx, eventId);
      const decisions = plan.decide(rows);
      const at = new Date();
      const written = decisions.flatMap((decision, index) =>
        isWritten(decision) ? [{ decision, number: rows[index]?.number ?? 0 }] : [],
      );
      const before = await this.guests.write(
        tx,
        eventId,
        written.map(({ decision }) => decision),
        at,
      );
      await tx.tableImportRow.createMany({
        data: written.map(({ decision, number }) => ({
          importId: id,
          number,
          guestId: decision.id,
          before: jsonOf(before.get(decision.id)),
          appliedAt: at,
        })),
      });
      const { created, changed, same, wrong } = countsOf(decisions);
      const { count } = await tx.tableImport.updateMany({
        where: { id, status: 'running', rowsDone },
        data: {
          rowsDone: rowsDone + rows.length,
          createdCount: { increment: created },
          changedCount: { increment: changed },
          sameCount: { increment: same },
          wrongCount: { increment: wrong },
        },
      });
      if (count !== 1) throw new Error(`Import ${id} was continued by another process`);
      return decisions;
    });
  }

  private async finish(id: string, wrongRows: () => Promise<Buffer>): Promise<void> {
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

const isWritten = (decision: Decision): decision is Written =>
  decision.outcome === 'created' || decision.outcome === 'changed';

const jsonOf = (before: GuestBefore | undefined) => (before === undefined ? Prisma.DbNull : { ...before });
