import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../../audit/audit.js';
import { SYSTEM } from '../../common/access/principal.js';
import { newId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database, type Transaction } from '../../data/database.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { KeptReceiptsDto } from '../dto/sealed-receipt.dto.js';
import { keptUntil } from '../packs/receipt-pack.js';
import { packVersion } from '../packs/registry.js';
import { receiptNumber } from '../receipt-content.js';
import {
  DELETE_OLD_RECEIPTS,
  type KeptReceiptsRow,
  RECEIPTS_TO_SEAL,
  SEAL_RECEIPT,
  SEALABLE_OF_PERSON,
  SEALED_RECEIPTS_OF_PERSON,
  type ToSealRow,
} from './sealed-receipts.sql.js';

const BATCH = 200;

/** A person as in `/donors`: digests of e-mail addresses, and ids of donations without an address. */
type PersonValues = readonly [keys: Buffer[], ids: string[]];

/**
 * Keeps what the receipts of erased donors print, encrypted, as long as the law of their pack demands. Then deletes it. Acknowledgements are
 * not kept.
 */
@Injectable()
export class ReceiptHold {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly keys: KeyRing,
    private readonly audit: Audit,
  ) {}

  /** The receipts that an erasure of this donor would keep, with those that an earlier erasure kept. */
  async wouldKeep(values: PersonValues): Promise<KeptReceiptsDto[]> {
    const yearEnd = await this.yearEnd();
    const rows = await this.database.query<Pick<ToSealRow, 'pack_version' | 'issued_on'>>(
      SEALABLE_OF_PERSON,
      [...values],
    );
    const kept = new Map((await this.kept(values)).map((one) => [`${one.country} ${one.law}`, one]));
    for (const { pack_version, issued_on } of rows) {
      const { id: country, retention } = packVersion(pack_version);
      const key = `${country} ${retention.law}`;
      const until = keptUntil(retention, issued_on, yearEnd);
      const before = kept.get(key);
      kept.set(key, {
        country,
        law: retention.law,
        receipts: (before?.receipts ?? 0) + 1,
        until: before && before.until > until ? before.until : until,
      });
    }
    return [...kept.values()];
  }

  /** The receipts of a donor that are kept after an erasure. */
  async kept(values: PersonValues): Promise<KeptReceiptsDto[]> {
    const rows = await this.database.query<KeptReceiptsRow>(SEALED_RECEIPTS_OF_PERSON, [...values]);
    return rows.map(({ pack: country, ...row }) => ({ country, ...row }));
  }

  /** The last day of each accounting year, `MM-DD`. Read it before the transaction. */
  async yearEnd(): Promise<string> {
    return (await this.settings.effective({})).legal.yearEnd;
  }

  /** Seals the receipts of donations. Call it in the transaction that erases the donor, with the donations locked and before the facts are erased. */
  async seal(tx: Transaction, donationIds: readonly string[], yearEnd: string): Promise<void> {
    for (const row of await tx.query<ToSealRow>(RECEIPTS_TO_SEAL, [donationIds])) {
      const { retention } = packVersion(row.pack_version);
      await tx.query(SEAL_RECEIPT, [
        newId(),
        row.year,
        row.number,
        row.is_collective,
        row.pack,
        row.pack_version,
        retention.law,
        this.keys.seal('receipt-seal', JSON.stringify(row.facts)),
        keptUntil(retention, row.issued_on, yearEnd),
      ]);
    }
  }

  /** Deletes the sealed receipts whose last day has passed, one batch. Returns their number. */
  @Cron('53 * * * *')
  async delete(): Promise<number> {
    return await this.database.transaction(async (tx) => {
      const deleted = await tx.query<{ year: number; number: number }>(DELETE_OLD_RECEIPTS, [BATCH]);
      for (const { year, number } of deleted)
        await this.audit.record(SYSTEM, 'sealed_receipt.expire', receiptNumber(year, number), {}, tx);
      return deleted.length;
    });
  }
}
