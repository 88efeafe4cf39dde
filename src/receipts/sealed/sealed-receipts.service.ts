import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../common/errors/domain-errors.js';
import { currencyExponent, toDecimalString } from '../../common/money/money.js';
import { localDay } from '../../common/text/local-time.js';
import { Database } from '../../data/database.js';
import { BOM, csvRecord, ExactNumber } from '../../documents/csv/csv-text.js';
import { ExportSlots } from '../../documents/export-slots.js';
import { downloadHeaders, sendDownload } from '../../documents/http/send-download.js';
import { SettingsService } from '../../settings/settings.service.js';
import type {
  ListSealedReceiptsDto,
  OpenedReceiptDto,
  SealedReceiptDto,
  SealedReceiptListDto,
} from '../dto/sealed-receipt.dto.js';
import { type AnnualFacts, deductible, type PackFacts } from '../packs/receipt-pack.js';
import { checkAtOf, receiptNumber, type ReceiptSubject } from '../receipt-content.js';
import { ReceiptFiles } from '../receipt-files.service.js';
import { ReceiptIssuers } from '../receipt-issuers.service.js';
import { SEALED_RECEIPT, SEALED_RECEIPTS, type SealedRow } from './sealed-receipts.sql.js';

const DEFAULT_LIMIT = 50;
const PAGE = 200;

const COLUMNS = [
  'number',
  'country',
  'state',
  'issuedAt',
  'sealedAt',
  'keepUntil',
  'law',
  'isReadable',
  'donorName',
  'donorAddress',
  'receivedOn',
  'amount',
  'currency',
] as const;

/** Shows the sealed receipts of erased donors to auditors. Each look at a content is in the audit log. */
@Injectable()
export class SealedReceipts {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly files: ReceiptFiles,
    private readonly issuers: ReceiptIssuers,
    private readonly settings: SettingsService,
    private readonly slots: ExportSlots,
    private readonly audit: Audit,
  ) {}

  /** Lists the sealed receipts without their content, the latest numbers first. */
  async list({ limit = DEFAULT_LIMIT, cursor }: ListSealedReceiptsDto): Promise<SealedReceiptListDto> {
    const before = cursor ? numberIn(cursor) : undefined;
    if (cursor && !before)
      throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
    const rows = await this.page(before, limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { data: shown.map(toSealed), cursor: last ? receiptNumber(last.year, last.number) : null };
  }

  /**
   * Opens a sealed receipt.
   * @throws NotFoundError `SEALED_RECEIPT_NOT_FOUND`; ConflictError `SEALED_RECEIPT_UNREADABLE` without the key
   */
  async open(caller: Principal, number: string): Promise<OpenedReceiptDto> {
    const row = await this.find(number);
    const gifts = this.giftsIn(row);
    const sealed = toSealed(row);
    await this.audit.record(actorOf(caller), 'sealed_receipt.read', sealed.number, {});
    return Object.assign(sealed, {
      donorName: gifts[0]?.donorName ?? null,
      donorAddress: gifts[0]?.donorAddress ?? null,
      gifts: gifts.map((gift) => ({
        receivedOn: gift.receivedOn,
        amount: deductible(gift),
        currency: gift.currency,
      })),
    });
  }

  /**
   * Prints a sealed receipt again: the same text, marked as a copy.
   * @throws like `open`
   */
  async copy(caller: Principal, wanted: string, response: Response): Promise<void> {
    const row = await this.find(wanted);
    const number = receiptNumber(row.year, row.number);
    const pdf = await this.draw(row, number);
    await this.audit.record(actorOf(caller), 'sealed_receipt.copy', number, {});
    response.set(downloadHeaders(`receipt-${number}.pdf`, 'application/pdf')).end(pdf);
  }

  /** Sends all sealed receipts with their content as CSV, a record for each donation. */
  async csv(caller: Principal, response: Response): Promise<void> {
    await this.audit.record(actorOf(caller), 'sealed_receipt.export', null, {});
    const { timezone } = await this.settings.effective({});
    await sendDownload(response, {
      fileName: `sealed-receipts-${localDay(new Date(), timezone)}.csv`,
      contentType: 'text/csv; charset=utf-8; header=present',
      body: this.slots.hold(this.file()),
    });
  }

  private async *file(): AsyncGenerator<Buffer, void, undefined> {
    yield Buffer.from(BOM + csvRecord(COLUMNS));
    for (let before: readonly [number, number] | undefined | null = undefined; before !== null;) {
      const rows: SealedRow[] = await this.page(before, PAGE);
      const records = rows.flatMap((row) => this.recordsOf(row));
      if (records.length > 0) yield Buffer.from(records.join(''));
      const last = rows.length < PAGE ? undefined : rows.at(-1);
      before = last ? [last.year, last.number] : null;
    }
  }

  private recordsOf(row: SealedRow): string[] {
    const { number, country, state, issuedAt, sealedAt, keepUntil, law } = toSealed(row);
    const start = [number, country, state, issuedAt, sealedAt, keepUntil, law];
    const gifts = this.tryGiftsIn(row);
    // A receipt that cannot be decrypted is listed, so that the list has every number.
    if (!gifts) return [csvRecord([...start, false, null, null, null, null, null])];
    return gifts.map((gift) =>
      csvRecord([
        ...start,
        true,
        gift.donorName,
        gift.donorAddress,
        gift.receivedOn,
        new ExactNumber(toDecimalString(BigInt(deductible(gift)), currencyExponent(gift.currency))),
        gift.currency.toUpperCase(),
      ]),
    );
  }

  private async page(before: readonly [number, number] | undefined, limit: number): Promise<SealedRow[]> {
    const [year, number] = before ?? [null, null];
    return await this.database.query<SealedRow>(SEALED_RECEIPTS, [year, number, limit]);
  }

  private async find(wanted: string): Promise<SealedRow> {
    const number = numberIn(wanted);
    const [row] = number ? await this.database.query<SealedRow>(SEALED_RECEIPT, [...number]) : [];
    if (!row)
      throw new NotFoundError('SEALED_RECEIPT_NOT_FOUND', 'There is no sealed receipt with this number');
    return row;
  }

  private async draw(row: SealedRow, number: string): Promise<Buffer> {
    const facts = this.factsIn(row) ?? unreadable();
    const issuer = await this.issuers.of(row.overrides ?? {});
    const issuedAt = row.issued_at;
    if ('gifts' in facts)
      return await this.files.collective({
        version: row.pack_version,
        facts,
        number: { number, replaces: row.replaces, issuedOn: facts.gifts[0]?.issuedOn ?? '' },
        issuedAt,
        copy: true,
        checkAt: checkAtOf({ checkCode: row.check_code }, issuer),
        voidBecause: row.replaced_at ? 'replaced' : row.status === 'COMPLETED' ? undefined : 'refunded',
        logo: issuer.logo,
      });
    const subject: ReceiptSubject = {
      donationId: '',
      number,
      issuedAt,
      copy: true,
      isReplaced: row.replaced_at !== null,
      replaces: row.replaces,
      status: row.status,
      amount: BigInt(facts.amount),
      refundedAmount: BigInt(facts.refunded),
      currency: facts.currency,
      type: facts.type,
      method: null,
      wallet: null,
      checkCode: row.check_code,
      donorName: facts.donorName,
      message: null,
      receivedAt: new Date(`${facts.receivedOn}T12:00:00Z`),
      eventName: '',
      locale: null,
      pack: { version: row.pack_version, facts },
    };
    return await this.files.pdf(issuer, subject);
  }

  private giftsIn(row: SealedRow): readonly PackFacts[] {
    return this.tryGiftsIn(row) ?? unreadable();
  }

  private tryGiftsIn(row: SealedRow): readonly PackFacts[] | undefined {
    const facts = this.factsIn(row);
    return facts && ('gifts' in facts ? facts.gifts : [facts]);
  }

  private factsIn({ sealed }: SealedRow): PackFacts | AnnualFacts | undefined {
    const opened = this.keys.tryOpen('receipt-seal', sealed);
    return opened && (JSON.parse(opened.text) as PackFacts | AnnualFacts);
  }
}

function toSealed(row: SealedRow): SealedReceiptDto {
  return {
    number: receiptNumber(row.year, row.number),
    country: row.pack,
    isCollective: row.is_collective,
    state: row.replaced_at ? 'replaced' : row.status === 'COMPLETED' ? 'valid' : 'void',
    issuedAt: row.issued_at.toISOString(),
    sealedAt: row.sealed_at.toISOString(),
    keepUntil: row.keep_until,
    law: row.law,
  };
}

/** Year and number of a receipt number, such as `2026-000042`; undefined for another text. */
function numberIn(text: string): readonly [year: number, number: number] | undefined {
  const [, year, number] = /^(\d{4})-(\d{6,9})$/.exec(text) ?? [];
  return year === undefined || number === undefined ? undefined : [Number(year), Number(number)];
}

function unreadable(): never {
  throw new ConflictError(
    'SEALED_RECEIPT_UNREADABLE',
    'This receipt was encrypted with another PIN_SECRET, or was changed. Set PIN_SECRET to its new and its old value',
  );
}
