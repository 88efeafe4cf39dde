import { Injectable } from '@nestjs/common';
import type { Transaction } from '../data/database.js';
import { type Calendar, type KeptDeclarations, LegalHold } from '../gift-aid/legal-hold.service.js';
import type { KeptReceiptsDto } from '../receipts/dto/sealed-receipt.dto.js';
import { ReceiptHold } from '../receipts/sealed/receipt-hold.service.js';
import type { PersonRef } from './donors.sql.js';
import type { KeptRecordsDto } from './dto/donor.dto.js';

/** The records that the law demands to keep after the erasure of a donor: Gift Aid declarations, and receipts for the tax office. */
@Injectable()
export class KeptRecords {
  constructor(
    private readonly declarations: LegalHold,
    private readonly receipts: ReceiptHold,
  ) {}

  /** The records that an erasure of this donor would keep, with those that an earlier erasure kept; undefined for none. */
  async wouldKeep(ref: PersonRef): Promise<KeptRecordsDto | undefined> {
    return together(await this.declarations.wouldKeep(ref), await this.receipts.wouldKeep(ref.values));
  }

  /** The records that are kept after an erasure; undefined for none. */
  async kept(ref: PersonRef): Promise<KeptRecordsDto | undefined> {
    return together(await this.declarations.kept(ref), await this.receipts.kept(ref.values));
  }

  /** The settings that decide the last days. Read them before the transaction. */
  async calendar(): Promise<Calendar> {
    return await this.declarations.calendar();
  }

  /**
   * Call it in the transaction that erases a donor, before the content is erased. Seals the records of these donations that the law
   * demands to keep; deletes the other declarations.
   */
  async seal(
    tx: Transaction,
    donationIds: readonly string[],
    donorKey: Buffer | undefined,
    calendar: Calendar,
  ): Promise<void> {
    await this.declarations.sealOrDelete(tx, donationIds, donorKey, calendar);
    await this.receipts.seal(tx, donationIds, calendar.yearEnd);
  }
}

function together(
  declarations: KeptDeclarations | undefined,
  receipts: KeptReceiptsDto[],
): KeptRecordsDto | undefined {
  if (!declarations && receipts.length === 0) return undefined;
  const days = [...(declarations ? [declarations.until] : []), ...receipts.map(({ until }) => until)];
  return {
    giftAidDeclarations: declarations?.giftAidDeclarations ?? 0,
    ...(receipts.length > 0 && { receipts }),
    until: days.sort().at(-1) ?? '',
    reason: 'legal_hold',
  };
}
