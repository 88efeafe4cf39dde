import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../audit/audit.js';
import { SYSTEM } from '../common/access/principal.js';
import { localDay } from '../common/text/local-time.js';
import { Database, type SqlExecutor, type Transaction } from '../data/database.js';
import { SettingsService } from '../settings/settings.service.js';
import {
  DECLARED_BY_PERSON,
  DELETE_DECLARATION,
  DELETE_OLD,
  SEAL,
  SEALED_OF_PERSON,
  TO_SEAL,
  type ToSealRow,
} from './gift-aid.sql.js';
import { keepUntil } from './keep-until.js';

const BATCH = 200;

/** The settings that decide how long a declaration is kept. */
export interface Calendar {
  /** IANA time zone name. */
  readonly timezone: string;
  /** Last day of each accounting year, `MM-DD`. */
  readonly yearEnd: string;
}

/** Declarations that stay after the erasure of a donor. */
export interface KeptDeclarations {
  readonly giftAidDeclarations: number;
  /** Last day on which one is kept, `YYYY-MM-DD`. */
  readonly until: string;
}

/** A person as in `/donors`: the digest of the e-mail address, or the id of a donation without an address. */
export interface DeclaringPerson {
  readonly donorKey: Buffer | undefined;
  readonly values: readonly [keys: Buffer[], ids: string[]];
}

/** Keeps the declarations of erased donors as long as the tax authority may ask for them, then deletes them. */
@Injectable()
export class LegalHold {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
  ) {}

  /** The declarations that an erasure of this donor would keep, with those that an earlier erasure kept. */
  async wouldKeep(person: DeclaringPerson): Promise<KeptDeclarations | undefined> {
    const found = await this.database.query<{ id: string }>(DECLARED_BY_PERSON, [...person.values]);
    const ids = found.map(({ id }) => id);
    const ends = await endsOf(this.database, ids, person.donorKey, await this.calendar());
    const until = [...ends.values()].flatMap((day) => day ?? []);
    return together(await this.kept(person), {
      giftAidDeclarations: until.length,
      until: until.sort().at(-1) ?? '',
    });
  }

  /** The declarations of a donor that are kept after an erasure. */
  async kept(person: DeclaringPerson): Promise<KeptDeclarations | undefined> {
    const [row] = await this.database.query<{ declarations: number; until: string | null }>(
      SEALED_OF_PERSON,
      [...person.values],
    );
    return row?.until === undefined || row.until === null
      ? undefined
      : { giftAidDeclarations: row.declarations, until: row.until };
  }

  /** The settings that decide the last day. Read them before the transaction. */
  async calendar(): Promise<Calendar> {
    const { timezone, legal } = await this.settings.effective({});
    return { timezone, yearEnd: legal.yearEnd };
  }

  /**
   * Call it in the transaction that erases a donor. Seals the declarations of donations that were paid and can be claimed;
   * deletes the others.
   */
  async sealOrDelete(
    tx: Transaction,
    donationIds: readonly string[],
    donorKey: Buffer | undefined,
    calendar: Calendar,
  ): Promise<void> {
    for (const [id, until] of await endsOf(tx, donationIds, donorKey, calendar))
      if (until === undefined) await tx.query(DELETE_DECLARATION, [id]);
      else await tx.query(SEAL, [id, until]);
  }

  /** Deletes the sealed declarations whose last day has passed, one batch. Returns their number. */
  @Cron('53 * * * *')
  async delete(): Promise<number> {
    return await this.database.transaction(async (tx) => {
      const deleted = await tx.query<{ id: string; donation_id: string }>(DELETE_OLD, [BATCH]);
      for (const { id, donation_id } of deleted)
        await this.audit.record(SYSTEM, 'gift_aid.expire', donation_id, { declaration: id }, tx);
      return deleted.length;
    });
  }
}

/** The last day of each open declaration of these donations; undefined for one without a paid donation. */
async function endsOf(
  db: SqlExecutor,
  donationIds: readonly string[],
  donorKey: Buffer | undefined,
  { timezone, yearEnd }: Calendar,
): Promise<Map<string, string | undefined>> {
  const rows = await db.query<ToSealRow>(TO_SEAL, [donationIds, donorKey ?? null]);
  return new Map(
    rows.map(({ id, given_at }) => [
      id,
      given_at === null ? undefined : keepUntil(localDay(given_at, timezone), yearEnd),
    ]),
  );
}

function together(one: KeptDeclarations | undefined, other: KeptDeclarations): KeptDeclarations | undefined {
  if (other.giftAidDeclarations === 0) return one;
  if (!one) return other;
  return {
    giftAidDeclarations: one.giftAidDeclarations + other.giftAidDeclarations,
    until: [one.until, other.until].sort().at(-1) ?? '',
  };
}
