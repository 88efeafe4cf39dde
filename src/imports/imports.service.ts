import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { actorOf, type Principal, reachesEvent } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import type { CsvForm } from '../documents/table-file/csv-form.js';
import { isPrismaForeignKey, PrismaService } from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import {
  type CheckedImport,
  type CheckImport,
  type DiscardedImport,
  type ImportDto,
  type ImportList,
  type ImportProblem,
  type ImportRow,
  toImport,
  type UploadList,
} from './dto/import.dto.js';
import { RefusedFieldsError } from '../common/errors/domain-errors.js';
import { importMissing, importOver } from './import-errors.js';
import { ImportFiles, type UploadedTable } from './import-file.service.js';
import { countsOf, type OpenedImport, type RowDecision } from './kinds/import-kind.js';
import { ImportKinds } from './kinds/import-kinds.service.js';
import type { KindName } from './kinds/kind-names.js';
import { readWrongRows, type WrongRows, wrongRowsFile, wrongRowsOf } from './wrong-rows.js';

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
    private readonly kinds: ImportKinds,
  ) {}

  /**
   * Stores an uploaded list. The fields of the columns come from the latest import with the same headings, or
   * are guessed from the headings.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws ConflictError `EVENT_TAKES_NO_DONATIONS`, `EVENT_NOT_ARCHIVED`
   * @throws InvalidInputError `TABLE_UNREADABLE`, `TABLE_EMPTY`, `TABLE_TOO_LARGE`
   */
  async upload(
    caller: Principal,
    ref: string,
    { kind = 'guests', fileName = kind }: UploadList,
    bytes: Buffer,
  ): Promise<ImportDto> {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    this.kinds.of(kind).assertEvent(event);
    const table = await this.files.table(bytes);
    const { kind: actorKind, id: actorId } = actorOf(caller);
    const { tableImport } = await this.prisma.client();
    const headingsDigest = digestOf(table.headings);
    const earlier = await tableImport.findFirst({
      where: { headingsDigest, kind, status: { not: 'uploaded' } },
      orderBy: { id: 'desc' },
      select: { columns: true },
    });
    const row = await tableImport
      .create({
        data: {
          id: newId(),
          eventId: event.id,
          kind,
          status: 'uploaded',
          fileName,
          file: new Uint8Array(bytes),
          ...shapeOf(table),
          headingsDigest,
          columns: earlier?.columns ?? this.kinds.of(kind).guess(table.headings),
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
    const kind = this.kinds.of(row.kind);
    const file = await this.file(row);
    const chosen = { ...(row.form as CsvForm | null), ...formOf(sent) };
    const table = await this.files.table(file, chosen);
    const isSameTable = digestOf(table.headings).equals(Buffer.from(row.headingsDigest));
    const columns =
      sent.columns ?? (isSameTable ? (row.columns as (string | null)[]) : kind.guess(table.headings));
    assertFields(columns, kind.fields);
    const { tableImport } = await this.prisma.client();
    const { count } = await tableImport.updateMany({
      where: { id: row.id, status: 'uploaded' },
      data: { ...shapeOf(table), headingsDigest: digestOf(table.headings), columns, ...formatsOf(row, sent) },
    });
    if (count === 0) throw importOver();
    const after = await this.row(caller, id);
    const opened = await kind.open(after, table);
    const decisions = await opened.decide();
    const { decimal = null, dateOrder = null } = opened.formats ?? {};
    return {
      import: toImport(after, examplesOf(table)),
      ...(opened.formats && { formats: { decimal, dateOrder } }),
      ...countsOf(decisions),
      problems: problemsOf(table, decisions).slice(0, MOST_PROBLEMS),
    };
  }

  /**
   * Returns the wrong rows as a CSV file with the problem of each row.
   * @throws NotFoundError `IMPORT_NOT_FOUND`
   */
  async wrongRows(caller: Principal, id: string, language: string): Promise<Buffer> {
    const row = await this.row(caller, id);
    const { tableImport } = await this.prisma.client();
    const stored = await tableImport.findUnique({ where: { id: row.id }, select: { wrongRows: true } });
    const kept = stored?.wrongRows ? Buffer.from(stored.wrongRows) : undefined;
    const wrong = kept ? readWrongRows(kept) : await this.currentWrongRows(row);
    if (!wrong) return kept ?? Buffer.alloc(0);
    const group = GROUP_OF_TEXTS[row.kind as KindName];
    return wrongRowsFile(wrong, { group, columns: row.columns as (string | null)[] }, language);
  }

  private async currentWrongRows(row: ImportRow): Promise<WrongRows> {
    const opened = await this.open(row, await this.file(row));
    const { headings, rows } = opened.table;
    return wrongRowsOf(headings, rows, await opened.decide());
  }

  /** Reads an uploaded file by the rules of its kind. */
  async open(row: ImportRow, file: Uint8Array): Promise<OpenedImport> {
    const table = await this.files.table(file, (row.form as CsvForm | null) ?? {});
    return await this.kinds.of(row.kind).open(row, table);
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
}

/** Prefix of the texts about the fields of each kind. */
const GROUP_OF_TEXTS: Readonly<Record<KindName, string>> = {
  guests: 'guest',
  pledges: 'donation',
  donations: 'donation',
};

/** @throws RefusedFieldsError if a column has a field that this kind of list does not have */
function assertFields(columns: readonly (string | null)[], fields: readonly string[]): void {
  if (columns.some((field) => field !== null && !fields.includes(field)))
    throw new RefusedFieldsError([
      { field: 'columns', rule: 'choice', message: 'columns must have only fields of this kind of list' },
    ]);
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

/** The earlier choices, with the new ones. */
const formatsOf = ({ formats }: ImportRow, { decimal, dateOrder }: CheckImport) =>
  decimal === undefined && dateOrder === undefined
    ? {}
    : {
        formats: {
          ...(formats as object | null),
          ...(decimal && { decimal }),
          ...(dateOrder && { dateOrder }),
        },
      };

const examplesOf = ({ rows }: UploadedTable) => rows.slice(0, EXAMPLES).map(({ cells }) => cells);

const problemsOf = ({ rows }: UploadedTable, decisions: readonly RowDecision[]): ImportProblem[] =>
  decisions.flatMap((decision, index) =>
    decision.outcome === 'wrong'
      ? decision.problems.map((problem) => ({ row: rows[index]?.number ?? 0, ...problem }))
      : [],
  );
