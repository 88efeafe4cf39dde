import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { actorOf, type Principal, reachesEvent } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../common/errors/domain-errors.js';
import type { CsvForm } from '../documents/table-file/csv-form.js';
import { isPrismaForeignKey, PrismaService } from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import { guessColumns } from '../guests/import/guest-columns.js';
import type { GuestField } from '../guests/import/guest-fields.js';
import { GuestImport } from '../guests/import/guest-import.service.js';
import { type Decision, type KeyedRow, ROWS_AT_ONCE } from '../guests/import/guest-plan.js';
import {
  type CheckedImport,
  type CheckImport,
  type DiscardedImport,
  type ImportDto,
  type ImportList,
  type ImportProblem,
  type ImportRow,
  toImport,
} from './dto/import.dto.js';
import { ImportFiles, keyedRows, type UploadedTable, wrongRowsFile } from './import-file.service.js';

const MOST_LISTED = 100;
const MOST_PROBLEMS = 200;
const EXAMPLES = 3;
const WITHOUT_FILE = { file: true, wrongRows: true } as const;

/** Stores uploaded lists, and shows the result that an import would have. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly events: EventLookup,
    private readonly files: ImportFiles,
    private readonly guests: GuestImport,
  ) {}

  /**
   * Stores an uploaded list. The fields of the columns come from the latest import with the same headings, or
   * are guessed from the headings.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws InvalidInputError `TABLE_UNREADABLE`, `TABLE_EMPTY`, `TABLE_TOO_LARGE`
   */
  async upload(caller: Principal, ref: string, fileName: string, bytes: Buffer): Promise<ImportDto> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    const table = await this.files.table(bytes);
    const { kind: actorKind, id: actorId } = actorOf(caller);
    const { tableImport } = await this.prisma.client();
    const headingsDigest = digestOf(table.headings);
    const earlier = await tableImport.findFirst({
      where: { headingsDigest, status: { not: 'uploaded' } },
      orderBy: { id: 'desc' },
      select: { columns: true },
    });
    const row = await tableImport
      .create({
        data: {
          id: newId(),
          eventId: event.id,
          kind: 'guests',
          status: 'uploaded',
          fileName,
          file: new Uint8Array(bytes),
          ...shapeOf(table),
          headingsDigest,
          columns: earlier?.columns ?? guessColumns(table.headings),
          actorKind,
          actorId,
        },
        omit: WITHOUT_FILE,
      })
      .catch((error: unknown) => {
        // The event was deleted at the same time.
        throw isPrismaForeignKey(error) ? eventNotFound() : error;
      });
    return toImport(row, examplesOf(table));
  }

  /** Returns the imports of an event, newest first. */
  async list(caller: Principal, ref: string): Promise<ImportList> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    const rows = await (
      await this.prisma.client()
    ).tableImport.findMany({
      where: { eventId: event.id },
      omit: WITHOUT_FILE,
      orderBy: { id: 'desc' },
      take: MOST_LISTED,
    });
    return { data: rows.map((row) => toImport(row)) };
  }

  /** @throws NotFoundError `IMPORT_NOT_FOUND` */
  async get(caller: Principal, id: string): Promise<ImportDto> {
    return toImport(await this.row(caller, id));
  }

  /**
   * Stores the chosen columns and the form of the file. Returns the result that an import would have. Without a column
   * for the name, every row is wrong.
   * @throws ConflictError `IMPORT_OVER` after the import
   */
  async check(caller: Principal, id: string, sent: CheckImport): Promise<CheckedImport> {
    const row = await this.row(caller, id);
    const file = await this.file(row);
    const chosen = { ...(row.form as CsvForm | null), ...formOf(sent) };
    const table = await this.files.table(file, chosen);
    const isSameTable = digestOf(table.headings).equals(Buffer.from(row.headingsDigest));
    const columns =
      sent.columns ?? (isSameTable ? (row.columns as (GuestField | null)[]) : guessColumns(table.headings));
    const { tableImport } = await this.prisma.client();
    const { count } = await tableImport.updateMany({
      where: { id: row.id, status: 'uploaded' },
      data: { ...shapeOf(table), headingsDigest: digestOf(table.headings), columns },
    });
    if (count === 0) throw importOver();
    const after = await this.row(caller, id);
    const decisions = await this.decide(row.eventId, await keyedRows(table.rows, columns));
    return {
      import: toImport(after, examplesOf(table)),
      ...countsOf(decisions),
      problems: problemsOf(table, decisions).slice(0, MOST_PROBLEMS),
    };
  }

  /**
   * Returns the wrong rows as a CSV file with the problem of each row.
   * @throws NotFoundError `IMPORT_NOT_FOUND`
   */
  async wrongRows(caller: Principal, id: string): Promise<Buffer> {
    const row = await this.row(caller, id);
    const { tableImport } = await this.prisma.client();
    const stored = await tableImport.findUnique({ where: { id: row.id }, select: { wrongRows: true } });
    if (stored?.wrongRows) return Buffer.from(stored.wrongRows);
    const table = await this.files.table(await this.file(row), (row.form as CsvForm | null) ?? {});
    const keyed = await keyedRows(table.rows, row.columns as (GuestField | null)[]);
    return wrongRowsFile(table.headings, table.rows, await this.decide(row.eventId, keyed));
  }

  /**
   * Deletes an upload that was not imported.
   * @throws ConflictError `IMPORT_OVER` after the import
   */
  async discard(caller: Principal, id: string): Promise<DiscardedImport> {
    const row = await this.row(caller, id);
    const { tableImport } = await this.prisma.client();
    const { count } = await tableImport.deleteMany({ where: { id: row.id, status: 'uploaded' } });
    if (count === 0) throw importOver();
    return { id: row.id, deleted: true };
  }

  /**
   * Returns an import in the caller's scope.
   * @throws NotFoundError `IMPORT_NOT_FOUND`
   */
  async row(caller: Principal, id: string): Promise<ImportRow> {
    const { tableImport } = await this.prisma.client();
    const row = isId(id) ? await tableImport.findUnique({ where: { id }, omit: WITHOUT_FILE }) : null;
    if (!row || !reachesEvent(caller, row.eventId)) throw importMissing();
    return row;
  }

  private async file({ id }: ImportRow): Promise<Uint8Array> {
    const { tableImport } = await this.prisma.client();
    const stored = await tableImport.findUnique({ where: { id }, select: { file: true } });
    if (!stored?.file) throw importOver();
    return stored.file;
  }

  /** Decides all rows in memory, with pauses in which other requests can run. */
  async decide(eventId: string, rows: readonly KeyedRow[]): Promise<Decision[]> {
    const plan = await this.guests.plan(await this.prisma.client(), eventId);
    const decisions: Decision[] = [];
    for (let done = 0; done < rows.length; done += ROWS_AT_ONCE) {
      decisions.push(...plan.decide(rows.slice(done, done + ROWS_AT_ONCE)));
      await setImmediate();
    }
    return decisions;
  }
}

export const importMissing = () => new NotFoundError('IMPORT_NOT_FOUND', 'There is no such import');
export const importOver = () =>
  new ConflictError('IMPORT_OVER', 'The import was started, or its file was deleted; upload the file again');

/** @throws InvalidInputError `COLUMNS_INCOMPLETE` if no column contains the name of the guest */
export function assertNamed(columns: readonly (GuestField | null)[]): void {
  if (!columns.some((field) => field === 'name' || field === 'firstName' || field === 'lastName'))
    throw new InvalidInputError('COLUMNS_INCOMPLETE', 'One column must have the name of the guest');
}

const digestOf = (headings: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(headings)).digest();

const shapeOf = ({ form, headings, rows }: UploadedTable) => ({
  ...(form && { form: { ...form } }),
  headings: [...headings],
  rowCount: rows.length,
});

const formOf = ({ encoding, delimiter }: CheckImport): Partial<CsvForm> => ({
  ...(encoding && { encoding }),
  ...(delimiter && { delimiter }),
});

const examplesOf = ({ rows }: UploadedTable) => rows.slice(0, EXAMPLES).map(({ cells }) => cells);

/** Counts the outcomes of rows. */
export function countsOf(decisions: readonly Decision[]) {
  const counts = { created: 0, changed: 0, same: 0, wrong: 0 };
  for (const { outcome } of decisions) counts[outcome]++;
  return counts;
}

const problemsOf = ({ rows }: UploadedTable, decisions: readonly Decision[]): ImportProblem[] =>
  decisions.flatMap((decision, index) =>
    decision.outcome === 'wrong'
      ? decision.problems.map((problem) => ({ row: rows[index]?.number ?? 0, ...problem }))
      : [],
  );
