import { createHash } from 'node:crypto';
import { toDecimalString } from '../../common/money/money.js';
import type { PostalAddress } from '../../common/text/postal-address.js';
import { type OdsCell, odsOf } from '../../documents/spreadsheet/ods.js';

/** A donation in the schedule of a claim. */
export interface ScheduleRow {
  readonly firstName: string;
  readonly lastName: string;
  readonly address: PostalAddress;
  /** `YYYY-MM-DD` */
  readonly givenOn: string;
  /** Pence. */
  readonly amount: bigint;
}

/** Everything that a schedule shows. */
interface Schedule {
  readonly rows: readonly ScheduleRow[];
  /** Tax in pence that earlier claims asked for too much. */
  readonly overclaimed: bigint;
  readonly createdAt: Date;
}

/**
 * Name of the sheet and places of the cells, as Charities Online reads them (the public source of its check:
 * github.com/hmrc/charities-claims-validation, `GiftAidDonationRow`, read in November 2026).
 */
const SHEET = 'R68GAD_V1_00_0_EN';
const EARLIEST = { row: 12, column: 3, label: 'Earliest donation date in the period of claim. (DD/MM/YY)' };
const OVERCLAIMED = { row: 16, column: 3, label: 'Previously over-claimed amount. Leave blank if none' };
const HEADINGS_ROW = 22;
const FIRST_ROW = 24;
const HEADINGS = [
  'Item',
  'Title',
  'First name',
  'Last name',
  'House name or number',
  'Postcode',
  'Aggregated donations',
  'Sponsored event',
  'Donation date',
  'Amount',
];
/** Widths in millimetres. The first column is empty in the form of HM Revenue and Customs. */
const WIDTHS = [8, 14, 14, 60, 45, 45, 26, 42, 32, 30, 26];
const NAME_LENGTH = 35;
const HOUSE_LENGTH = 40;

/** The basic rate of tax is 20 %, so a donation of £1 gives 25p. */
export const taxOn = (amount: bigint): bigint => amount / 4n;

/** Returns the schedule as an OpenDocument spreadsheet, and the SHA-256 of its bytes. Equal schedules have equal bytes. */
export async function scheduleFile(schedule: Schedule): Promise<{ bytes: Buffer; digest: Buffer }> {
  const { createdAt } = schedule;
  const bytes = await odsOf({ name: SHEET, widths: WIDTHS, rows: cellsOf(schedule), createdAt });
  return { bytes, digest: createHash('sha256').update(bytes).digest() };
}

function cellsOf({ rows, overclaimed }: Schedule): OdsCell[][] {
  const cells: OdsCell[][] = Array.from({ length: FIRST_ROW }, () => []);
  const put = (row: number, column: number, cell: OdsCell) => {
    const target = (cells[row] ??= []);
    while (target.length < column) target.push(null);
    target[column] = cell;
  };
  const earliest = rows.map(({ givenOn }) => givenOn).sort()[0];
  put(EARLIEST.row - 1, EARLIEST.column, EARLIEST.label);
  put(EARLIEST.row, EARLIEST.column, earliest === undefined ? null : shortDate(earliest));
  put(OVERCLAIMED.row - 1, OVERCLAIMED.column, OVERCLAIMED.label);
  put(OVERCLAIMED.row, OVERCLAIMED.column, overclaimed > 0n ? moneyCell(overclaimed) : null);
  cells[HEADINGS_ROW] = [null, ...HEADINGS];
  rows.forEach(({ firstName, lastName, address, givenOn, amount }, index) => {
    cells.push([
      null,
      String(index + 1),
      null,
      western(firstName, NAME_LENGTH),
      western(lastName.replace(/[-‐-―]/g, ' '), NAME_LENGTH),
      houseOf(address),
      address.country === 'GB' ? (address.postcode ?? '').toUpperCase() : 'X',
      null,
      null,
      shortDate(givenOn),
      moneyCell(amount),
    ]);
  });
  return cells;
}

const moneyCell = (amount: bigint): OdsCell => ({ number: toDecimalString(amount, 2) });

/** `2026-11-21` → `21/11/26` */
const shortDate = (day: string): string => `${day.slice(8)}/${day.slice(5, 7)}/${day.slice(2, 4)}`;

/** The number at the start of the address. Without one, the first line, because a house may have a name. */
export const houseOf = ({ line1 }: PostalAddress): string =>
  /^\d+[a-z]?(?:[-/]\d+[a-z]?)?(?![\p{L}\d])/iu.exec(line1.trim())?.[0] ?? western(line1, HOUSE_LENGTH);

/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Œ: 'OE',
  œ: 'oe',
  ı: 'i',
  '’': "'",
  '‘': "'",
};

/**
 * A text in the characters that Charities Online keeps (Latin-1): it removes all others, and a name without its letters finds no
 * taxpayer. Letters of other alphabets stay.
 */
export const western = (text: string, length: number): string =>
  [...text.normalize('NFC')]
    .map((character) =>
      /[\x20-\x7E\xA1-\xFF]/.test(character)
        ? character
        : (LETTERS[character] ?? character.normalize('NFKD').replace(/\p{M}/gu, '')),
    )
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, length)
    .trim();
