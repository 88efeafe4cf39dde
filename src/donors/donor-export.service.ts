import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { AuditList } from '../audit/audit-list.service.js';
import type { Actor } from '../common/access/principal.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { Database } from '../data/database.js';
import { claimsOn } from '../donations/store/claims.js';
import { toDonation } from '../donations/dto/donation.dto.js';
import { answersOf } from '../donations/recording/idempotency.js';
import { EmailsService } from '../mail/emails.service.js';
import { DonorsService } from './donors.service.js';
import { EXPORTED, MATCH_POOLS_OF_PERSON, personRef } from './donors.sql.js';
import { NotifiedPersons, type ToldTribute } from '../tributes/notified-persons.service.js';
import type { Response } from 'express';
import { downloadHeaders } from '../documents/http/send-download.js';
import { DonorStatements, type StatementForm } from './donor-statements.service.js';
import { statementFile, type StatementPeriod } from './statement-period.js';

/**
 * Maximum number of donations in an export. If an address has more donations, the address is probably a mistake.
 */
const MOST = 20_000;

/** Exports all stored data of a donor, for that donor. */
@Injectable()
export class DonorExport {
  constructor(
    private readonly database: Database,
    private readonly donors: DonorsService,
    private readonly emails: EmailsService,
    private readonly keys: KeyRing,
    private readonly notified: NotifiedPersons,
    private readonly audit: Audit,
    private readonly entries: AuditList,
  ) {}

  /**
   * Returns all stored data. For the donor, the audit log is limited to the donor's own acts.
   * @throws NotFoundError `DONOR_NOT_FOUND`
   */
  async of(actor: Actor, key: string): Promise<object> {
    const { donations: _, kept: __, ...person } = await this.donors.person(key);
    const { donorKey } = personRef(key);
    const donations = await this.donors.donationsOf(key, MOST);
    const claims = await claimsOn(this.database, donations);
    const ids = donations.map(({ id }) => id);
    await this.audit.record(actor, 'donor.export', person.key, { donations: ids.length });
    const parts = await Promise.all(
      Object.entries(EXPORTED).map(async ([name, statement]) => {
        return [
          name,
          (await this.database.query<Record<string, unknown>>(statement, [ids])).map(readable),
        ] as const;
      }),
    );
    return {
      exportedAt: new Date().toISOString(),
      person,
      donations: donations.map((row) => ({
        ...toDonation(row, claims.get(row.id)),
        eventName: row.event_name,
        provider: row.provider,
        paymentId: row.payment_id,
        language: row.locale,
      })),
      ...Object.fromEntries(parts),
      tributesOfOthers: donorKey ? (await this.notified.told(donorKey, MOST)).map(toldTribute) : [],
      matchPools: donorKey
        ? (await this.database.query<Record<string, unknown>>(MATCH_POOLS_OF_PERSON, [donorKey])).map(
            readable,
          )
        : [],
      emails: await this.emails.ofDonations(ids),
      keptAnswers: (await answersOf(this.database, this.keys, ids)).map(({ answer }) =>
        withoutCheckout(answer),
      ),
      audit: (await this.entries.about([...ids, person.key])).filter(
        ({ actorKind }) => actor.kind !== 'donor' || actorKind === 'donor',
      ),
    };
  }
}

/** Removes the checkout data of the payment. These data are not about the person, and other people may see the file. */
function withoutCheckout(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { clientSecret: _, approveUrl: __, ...kept } = answer as Record<string, unknown>;
  return kept;
}

/** A tribute of another donor that names the address of this person. The donor is not part of this person's data. */
const toldTribute = ({ tribute, completed_at }: ToldTribute): object => ({
  ...tribute,
  completedAt: completed_at,
});

/** Converts a row to API field names; amounts stay in minor units. */
const readable = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      typeof value === 'bigint' ? Number(value) : value,
    ]),
  );

/** Sends files about one donor. Their file names do not identify the donor. */
@Injectable()
export class DonorDownloads {
  constructor(
    private readonly exported: DonorExport,
    private readonly statements: DonorStatements,
  ) {}

  async everything(actor: Actor, key: string, response: Response): Promise<void> {
    const content = await this.exported.of(actor, key);
    response
      .set(downloadHeaders('donor.json', 'application/json; charset=utf-8'))
      .end(JSON.stringify(content, null, 2));
  }

  async statement(
    actor: Actor,
    key: string,
    period: StatementPeriod,
    form: StatementForm,
    response: Response,
  ): Promise<void> {
    const pdf = await this.statements.of(actor, key, period, form);
    response.set(downloadHeaders(statementFile(period), 'application/pdf')).end(pdf);
  }

  async collective(
    actor: Actor,
    key: string,
    year: number,
    isIncluding: boolean,
    response: Response,
  ): Promise<void> {
    const pdf = await this.statements.collective(actor, key, year, isIncluding);
    response.set(downloadHeaders(`sammelbestaetigung-${year}.pdf`, 'application/pdf')).end(pdf);
  }
}
