import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import type { Actor } from '../../common/access/principal.js';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { ConflictError, type FieldProblem, InvalidInputError } from '../../common/errors/domain-errors.js';
import { currencyExponent } from '../../common/money/money.js';
import { localDay } from '../../common/text/local-time.js';
import { Database, type SqlExecutor, type Transaction } from '../../data/database.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import { textOfCause } from '../../donations/lifecycle/history-cause.js';
import {
  DonationRecorder,
  type Recording,
  type RecordingResult,
} from '../../donations/recording/donation-recorder.js';
import { donorKeyOf, NO_DETAILS, NOT_AT_A_TERMINAL } from '../../donations/recording/new-donation.js';
import { guestsWithPaddles, type PaddleGuest } from '../../donations/recording/paddle-guest.js';
import { takes, type Verdict } from '../../donations/recording/recording-rules.js';
import { lockDonations } from '../../donations/store/donation-store.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { EventRecord } from '../../events/event-record.js';
import { SettingsService } from '../../settings/settings.service.js';
import {
  type DonationImportField,
  PAST_FIELDS,
  PLEDGE_FIELDS,
  type ValueFormats,
} from '../donations/donation-fields.js';
import { guessDonationColumns } from '../donations/donation-headings.js';
import { DonationKeys, type KeyedDonation } from '../donations/donation-keys.js';
import { type DonationItem, readDonation, type RowRules } from '../donations/donation-row.js';
import {
  ADVANCE,
  CHANGED_LATER,
  FORGET_KEYS,
  IMPORTED,
  KEEP_KEYS,
  KNOWN_KEYS,
  MARK_UNDONE,
  NAMED_ROUNDS,
} from '../donations/imported-donations.sql.js';
import { formatsIn } from '../donations/written-values.js';
import type { ChangedRow, ImportRow } from '../dto/import.dto.js';
import { changedLater, columnsIncomplete, importOver } from '../import-errors.js';
import type { UploadedTable } from '../import-file.service.js';
import {
  cellsByField,
  countsOf,
  type FoundFormats,
  type ImportKind,
  type OpenedImport,
  ROWS_AT_ONCE,
  type RowDecision,
} from './import-kind.js';

type DonationKindName = RowRules['kind'];

/** An event's noon on a day, or its midnight where UTC noon is another day. */
const noonOf = (day: string, timezone: string): Date => {
  const noon = new Date(`${day}T12:00:00Z`);
  return localDay(noon, timezone) === day ? noon : new Date(`${day}T00:00:00Z`);
};

/** Imports pledges and past donations. Every donation is written by the recorder, like a record of the till. */
@Injectable()
export class DonationKinds {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly keys: KeyRing,
    private readonly changes: DonationChanges,
    private readonly recorder: DonationRecorder,
    private readonly audit: Audit,
  ) {}

  of(kind: DonationKindName): ImportKind {
    const fields: readonly DonationImportField[] = kind === 'donations' ? PAST_FIELDS : PLEDGE_FIELDS;
    const guess = guessDonationColumns(fields);
    return {
      fields,
      guess: (headings) => guess(headings),
      assertEvent: (event) => assertTakes(event, kind),
      open: (row, table) => this.open(row, table, kind),
      assertStarts: (row, read) => this.assertStarts(row, read, kind),
      undo: (row, actor) => this.undo(row, actor),
      changedRows: async ({ id }) => await this.database.query<ChangedRow>(CHANGED_LATER, [id]),
    };
  }

  private async open(row: ImportRow, table: UploadedTable, kind: DonationKindName): Promise<OpenedImport> {
    const event = await this.events.get(row.eventId);
    const { timezone } = await this.settings.effective(event.overrides);
    const columns = row.columns as (DonationImportField | null)[];
    const formats = formatsOf(row, table, columns);
    const rules: RowRules = {
      kind,
      currency: event.currency,
      exponent: currencyExponent(event.currency),
      ...formats,
      today: localDay(new Date(), timezone),
      rounds: await this.roundsOf(event),
    };
    const keys = new DonationKeys(this.keys, kind);
    const rows: KeyedDonation[] = [];
    for (const [index, { number, cells }] of table.rows.entries()) {
      if (index % ROWS_AT_ONCE === 0) await setImmediate();
      rows.push(keys.of(number, readDonation(cellsByField(columns, cells), rules)));
    }
    const batchOf = (some: readonly KeyedDonation[]) => new Batch(some, event, timezone, row);
    return {
      table,
      formats,
      decide: () => this.decide(batchOf(rows)),
      write: (done) => this.write(batchOf(rows.slice(done, done + ROWS_AT_ONCE)), done),
    };
  }

  private async roundsOf({ id }: EventRecord): Promise<ReadonlyMap<string, string>> {
    const rounds = await this.database.query<{ id: string; name: string }>(NAMED_ROUNDS, [id]);
    return new Map(rounds.map((round) => [round.name.toLowerCase(), round.id]));
  }

  /**
   * @throws ConflictError `EVENT_TAKES_NO_DONATIONS`, `EVENT_NOT_ARCHIVED`
   * @throws InvalidInputError `COLUMNS_INCOMPLETE`, `FORMAT_UNCLEAR`
   */
  private async assertStarts(
    row: ImportRow,
    read: () => Promise<OpenedImport | undefined>,
    kind: DonationKindName,
  ): Promise<void> {
    const columns = row.columns as (DonationImportField | null)[];
    if (!columns.includes('amount') || (kind === 'donations' && !columns.includes('date')))
      throw columnsIncomplete(
        kind === 'donations'
          ? 'One column must have the amount, and one the day on which the money arrived'
          : 'One column must have the amount',
      );
    assertTakes(await this.events.get(row.eventId), kind);
    const opened = await read();
    if (opened?.formats && (!opened.formats.decimal || !opened.formats.dateOrder))
      throw new InvalidInputError(
        'FORMAT_UNCLEAR',
        'The amounts or days of the file have two meanings; choose `decimal` or `dateOrder`',
      );
  }

  /** Decides all rows by the rules of the recorder, without writing them. */
  private async decide(batch: Batch): Promise<RowDecision[]> {
    const recordings = await this.recordingsOf(this.database, batch);
    const verdicts = recordings.length === 0 ? [] : await this.recorder.judge(recordings);
    return batch.decisions(verdicts);
  }

  private async write(batch: Batch, done: number): Promise<RowDecision[]> {
    return await this.database.transaction(async (tx) => {
      const recordings = await this.recordingsOf(tx, batch);
      const results = recordings.length === 0 ? [] : await this.recorder.write(tx, recordings);
      const decisions = batch.decisions(results);
      const written = batch.written(results);
      const { id, eventId } = batch.row;
      const ids = written.map((one) => one.id);
      const [numbers, keys] = [written.map(({ number }) => number), written.map(({ key }) => key)];
      tx.write(KEEP_KEYS, [eventId, id, ids, numbers, keys], written.length);
      const { created, same, wrong } = countsOf(decisions);
      tx.write(ADVANCE, [id, done, batch.rows.length, created, same, wrong], 1);
      return decisions;
    });
  }

  /** Drafts the rows that are right and new. */
  private async recordingsOf(db: SqlExecutor, batch: Batch): Promise<Recording[]> {
    const keys = batch.rows.flatMap(({ key }) => key ?? []);
    const known = await db.query<{ key: string }>(KNOWN_KEYS, [batch.row.eventId, keys]);
    const news = batch.without(new Set(known.map(({ key }) => key)));
    const paddles = news.flatMap(({ paddle, name, email }) =>
      paddle === null || name !== null || email !== null ? [] : [paddle],
    );
    const guests = await guestsWithPaddles(db, batch.row.eventId, [...new Set(paddles)]);
    const { actorKind: kind, actorId: id } = batch.row;
    return news.map((item) => ({
      donation: this.draft(item, batch, item.paddle === null ? undefined : guests.get(item.paddle)),
      confirmed: true,
      actor: { kind, id },
      reason: textOfCause({ kind: 'imported' }),
      idempotency: null,
    }));
  }

  private draft(item: DonationItem, { event, timezone }: Batch, found: PaddleGuest | undefined): DonationRow {
    const id = newId();
    const guest = item.name === null && item.email === null ? found : undefined;
    const email = item.email ?? guest?.email ?? null;
    const row = this.changes.draft(
      {
        id,
        event_id: event.id,
        amount: item.amount,
        // The currency and moderation states come from the event when the record is written.
        currency: '',
        message_state: 'visible',
        name_state: 'visible',
        type: item.type,
        donor_name: item.name ?? guest?.name ?? null,
        donor_email: email,
        // The donor gave the name for the list, and not for the wall.
        is_anonymous: true,
        message: null,
        donor_key: donorKeyOf(this.keys, email),
        staff_id: null,
        staff_name: null,
        provider: null,
        payment_id: null,
        expected_amount: null,
        expected_currency: null,
        ...NO_DETAILS,
        ...NOT_AT_A_TERMINAL,
        donor_address: item.address,
        paddle: item.paddle,
        guest_id: guest?.id ?? null,
        team_id: guest?.team_id ?? null,
        round_id: item.roundId,
        reference: item.reference,
        note: item.note,
        is_past_donation: item.day !== null,
        created_at: timeOfId(id),
      },
      item.day === null ? 'pledged' : 'received',
    );
    return item.day === null ? row : { ...row, completed_at: noonOf(item.day, timezone) };
  }

  private async undo({ id }: ImportRow, actor: Actor): Promise<void> {
    await this.database.transaction(async (tx) => {
      const marked = await tx.query(MARK_UNDONE, [id]);
      if (marked.length === 0) throw importOver();
      const changed = await tx.query<ChangedRow>(CHANGED_LATER, [id]);
      const refuse = () =>
        changedLater(
          'Donations',
          changed.map(({ number }) => number),
        );
      if (changed.length > 0) throw refuse();
      const imported = await tx.query<{ id: string }>(IMPORTED, [id]);
      for (let start = 0; start < imported.length; start += ROWS_AT_ONCE)
        await this.undoSome(tx, imported.slice(start, start + ROWS_AT_ONCE), actor);
      await tx.query(FORGET_KEYS, [id]);
      await this.audit.record(actor, 'import.undo', id, { rows: imported.length }, tx);
    });
  }

  private async undoSome(tx: Transaction, some: readonly { id: string }[], actor: Actor): Promise<void> {
    const locked = await lockDonations(
      tx,
      some.map(({ id }) => id),
    );
    for (const before of locked) {
      const isUntouched = before.updated_at.getTime() === before.created_at.getTime();
      const change = { fact: { kind: 'undone' }, actor, cause: { kind: 'undone' } } as const;
      if (!isUntouched || !this.changes.apply(tx, before, change)) throw changedLater('Donations', []);
    }
  }
}

/** Rows of one file that are decided together. */
class Batch {
  /** Index of the recording of each row; `same` for a row that was imported earlier; undefined for a wrong row. */
  private places: (number | 'same' | undefined)[] = [];
  private drafted: readonly KeyedDonation[] = [];

  constructor(
    readonly rows: readonly KeyedDonation[],
    readonly event: EventRecord,
    readonly timezone: string,
    readonly row: ImportRow,
  ) {}

  /** Returns the right rows whose key is unknown. */
  without(known: ReadonlySet<string>): DonationItem[] {
    const items: DonationItem[] = [];
    this.places = this.rows.map(({ read, key }) => {
      if ('problems' in read || key === undefined) return undefined;
      return known.has(key) ? 'same' : items.push(read.item) - 1;
    });
    this.drafted = this.rows.filter((_, index) => typeof this.places[index] === 'number');
    return items;
  }

  decisions(results: readonly (Verdict | RecordingResult)[]): RowDecision[] {
    return this.rows.map(({ read }, index) => {
      const place = this.places[index];
      if (place === 'same') return { outcome: 'same' };
      if (place === undefined) return { outcome: 'wrong', problems: 'problems' in read ? read.problems : [] };
      const problem = problemOf(results[place]);
      return problem ? { outcome: 'wrong', problems: [problem] } : { outcome: 'created' };
    });
  }

  /** The written donations with the number and the key of their rows. */
  written(results: readonly RecordingResult[]) {
    return results.flatMap((result, index) => {
      const { number, key } = this.drafted[index] ?? {};
      return result.kind === 'recorded' && key !== undefined && number !== undefined
        ? [{ id: result.donation.id, number, key }]
        : [];
    });
  }
}

/** The problem of a row that the recorder refuses. */
function problemOf(result: Verdict | RecordingResult | undefined): FieldProblem | undefined {
  switch (result?.kind) {
    case 'accepted':
    case 'recorded':
      return undefined;
    case 'too-large':
    case 'unconfirmed':
      return {
        field: 'amount',
        rule: 'maximum',
        limit: result.limit,
        message: `amount must be at most ${result.limit}`,
      };
    case 'unknown-round':
      return { field: 'round', rule: 'choice', message: 'the event has no such round' };
    default:
      return { field: 'amount', rule: 'other', message: 'the event does not accept this amount' };
  }
}

function formatsOf(
  { formats }: ImportRow,
  { rows }: UploadedTable,
  columns: readonly (DonationImportField | null)[],
): FoundFormats {
  const chosen = (formats ?? {}) as Partial<ValueFormats>;
  const cellsOf = (...fields: DonationImportField[]) =>
    fields.flatMap((field) => {
      const column = columns.indexOf(field);
      return column < 0 ? [] : rows.map(({ cells }) => cells[column] ?? '').filter((cell) => cell !== '');
    });
  const found = formatsIn(cellsOf('amount', 'refunded'), cellsOf('date'));
  return { decimal: chosen.decimal ?? found.decimal, dateOrder: chosen.dateOrder ?? found.dateOrder };
}

/** @throws ConflictError `EVENT_TAKES_NO_DONATIONS`, `EVENT_NOT_ARCHIVED` */
function assertTakes({ status }: EventRecord, kind: DonationKindName): void {
  if (takes(status, { is_past_donation: kind === 'donations' })) return;
  throw kind === 'donations'
    ? new ConflictError(
        'EVENT_NOT_ARCHIVED',
        'Past donations belong in an archived event, whose walls are off',
      )
    : new ConflictError('EVENT_TAKES_NO_DONATIONS', 'A draft or archived event takes no donations');
}
