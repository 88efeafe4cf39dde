import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import type { Actor } from '../../common/access/principal.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { Prisma } from '../../data/generated/client.js';
import { PrismaService } from '../../data/prisma.service.js';
import type { TableRow } from '../../documents/table-file/table.js';
import { MOST_GUESTS } from '../../guests/guests.service.js';
import { guessColumns } from '../../guests/import/guest-columns.js';
import { GUEST_FIELDS, type GuestField } from '../../guests/import/guest-fields.js';
import { type GuestBefore, GuestImport, type ImportedRow } from '../../guests/import/guest-import.service.js';
import { type Decision, type KeyedRow, RowKeys } from '../../guests/import/guest-plan.js';
import { readGuest } from '../../guests/import/guest-row.js';
import { lockPaddles } from '../../guests/paddles.js';
import type { ChangedRow, ImportRow } from '../dto/import.dto.js';
import { changedLater, columnsIncomplete, importOver } from '../import-errors.js';
import type { UploadedTable } from '../import-file.service.js';
import { cellsByField, countsOf, type ImportKind, type OpenedImport, ROWS_AT_ONCE } from './import-kind.js';

/** Number of rows that are checked without a pause. */
const AT_ONCE = 200;

/** A row that was new or changed. All other rows are not stored. */
type Written = Extract<Decision, { outcome: 'created' | 'changed' }>;

/** Imports guest lists. */
@Injectable()
export class GuestKind implements ImportKind {
  readonly fields = GUEST_FIELDS;
  readonly guess = guessColumns;

  constructor(
    private readonly prisma: PrismaService,
    private readonly guests: GuestImport,
    private readonly audit: Audit,
  ) {}

  /** A guest list may be imported at any time. */
  assertEvent(): void {
    return;
  }

  async open(row: ImportRow, table: UploadedTable): Promise<OpenedImport> {
    const rows = await keyedRows(table.rows, row.columns as (GuestField | null)[]);
    return {
      table,
      decide: () => this.decide(row.eventId, rows),
      write: (done) => this.batch(row, done, rows.slice(done, done + ROWS_AT_ONCE)),
    };
  }

  /**
   * Rows that are already guests add nothing. They are only looked for if all rows together would exceed the limit,
   * because this needs the whole file.
   * @throws ConflictError `TOO_MANY_GUESTS`
   */
  async assertStarts(row: ImportRow, read: () => Promise<OpenedImport | undefined>): Promise<void> {
    if (!(row.columns as (GuestField | null)[]).some((field) => NAMES.has(field)))
      throw columnsIncomplete('One column must have the name of the guest');
    const { guest } = await this.prisma.client();
    const present = await guest.count({ where: { eventId: row.eventId } });
    if (present + row.rowCount <= MOST_GUESTS) return;
    const opened = await read();
    if (!opened) return;
    const { created } = countsOf(await opened.decide());
    if (present + created > MOST_GUESTS)
      throw new ConflictError('TOO_MANY_GUESTS', `An event has at most ${MOST_GUESTS} guests`);
  }

  async undo({ id, eventId }: ImportRow, actor: Actor): Promise<void> {
    await this.prisma.transaction(async (tx) => {
      await lockPaddles(tx, eventId);
      const { count } = await tx.tableImport.updateMany({
        where: { id, status: 'done' },
        data: { status: 'undone', undoneAt: new Date() },
      });
      if (count === 0) throw importOver();
      const rows = await rowsOf(tx, id);
      const changed = await this.guests.changedSince(tx, eventId, rows);
      if (changed.length > 0)
        throw changedLater(
          'Guests',
          changed.map(({ number }) => number),
        );
      await this.guests.undo(tx, rows);
      await tx.tableImportRow.deleteMany({ where: { importId: id } });
      await this.audit.record(actor, 'import.undo', id, { rows: rows.length }, tx);
    });
  }

  async changedRows({ id, eventId }: ImportRow): Promise<ChangedRow[]> {
    return await this.prisma.transaction(async (tx) =>
      this.guests.changedSince(tx, eventId, await rowsOf(tx, id)),
    );
  }

  /** Decides all rows in memory, with pauses in which other requests can run. */
  private async decide(eventId: string, rows: readonly KeyedRow[]): Promise<Decision[]> {
    const plan = await this.guests.plan(await this.prisma.client(), eventId);
    const decisions: Decision[] = [];
    for (let done = 0; done < rows.length; done += ROWS_AT_ONCE) {
      decisions.push(...plan.decide(rows.slice(done, done + ROWS_AT_ONCE)));
      await setImmediate();
    }
    return decisions;
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
}

const NAMES: ReadonlySet<GuestField | null> = new Set(['name', 'firstName', 'lastName']);

/** Reads each row as a guest. Pauses between the rows, so that other requests do not wait. */
async function keyedRows(
  rows: readonly TableRow[],
  columns: readonly (GuestField | null)[],
): Promise<KeyedRow[]> {
  const keys = new RowKeys();
  const keyed: KeyedRow[] = [];
  for (const [index, { number, cells }] of rows.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    keyed.push(keys.of(number, readGuest(cellsByField(columns, cells))));
  }
  return keyed;
}

async function rowsOf(tx: Prisma.TransactionClient, importId: string): Promise<ImportedRow[]> {
  const rows = await tx.tableImportRow.findMany({ where: { importId }, orderBy: { number: 'asc' } });
  return rows.map((row) => ({ ...row, before: row.before as GuestBefore | null }));
}

const isWritten = (decision: Decision): decision is Written =>
  decision.outcome === 'created' || decision.outcome === 'changed';

const jsonOf = (before: GuestBefore | undefined) => (before === undefined ? Prisma.DbNull : { ...before });
