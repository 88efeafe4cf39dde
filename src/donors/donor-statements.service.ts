import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError } from '../common/errors/domain-errors.js';
import { formatMoney } from '../common/money/money.js';
import { startOfYear } from '../common/text/start-of-year.js';
import { Database } from '../data/database.js';
import { givenAt } from '../donations/recording/given-at.js';
import { ReceiptIssuers } from '../receipts/receipt-issuers.service.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import { type DonationAtEvent, DonorsService } from './donors.service.js';
import { DONATIONS_OF_YEAR, personRef } from './donors.sql.js';
import type { StatementContent } from './statement-pdf.js';
import { statementWording } from './statement-wording.js';
import { dateInWords } from '../common/text/local-time.js';

const STATEMENT_PDF: ThreadFunction<StatementContent, Uint8Array> = {
  file: threadFile('donors/statement-pdf.js'),
  name: 'statementPdf',
};

/** Annual statement: the donations of one donor in a year, at all events. */
@Injectable()
export class DonorStatements {
  constructor(
    private readonly database: Database,
    private readonly donors: DonorsService,
    private readonly issuers: ReceiptIssuers,
    private readonly audit: Audit,
    private readonly thread: ExportThread,
  ) {}

  /**
   * Creates the statement of completed donations less refunds, with one sum for each currency.
   * @throws NotFoundError `DONOR_NOT_FOUND`, ConflictError `STATEMENT_EMPTY` for a year without donations
   */
  async of(caller: Principal, key: string, year: number): Promise<Buffer> {
    const person = await this.donors.person(key);
    // Uses the global settings of the organization, because the statement covers all events.
    const issuer = await this.issuers.of({});
    const { locale, timezone } = issuer;
    const rows = await this.database.query<DonationAtEvent>(DONATIONS_OF_YEAR, [
      ...personRef(key).values,
      startOfYear(year, timezone),
      startOfYear(year + 1, timezone),
    ]);
    if (rows.length === 0) throw new ConflictError('STATEMENT_EMPTY', `There are no donations in ${year}`);
    await this.audit.record(actorOf(caller), 'donor.statement', person.key, { year });
    const { language, wording } = statementWording(locale);
    const now = new Date();
    const money = (amount: bigint, currency: string) => formatMoney(amount, currency, locale);
    return await this.thread.bytes(STATEMENT_PDF, {
      language,
      wording,
      organization: issuer.organization,
      footer: [
        [issuer.legalName || issuer.organization, issuer.taxId].filter(Boolean).join(' · '),
        issuer.address
          .split(/\s*\n\s*/u)
          .filter(Boolean)
          .join(', '),
      ],
      logo: issuer.logo,
      year,
      madeOn: dateInWords(now, locale, timezone, { currency: rows[0]?.currency }),
      madeAt: now,
      donor: [person.name ?? person.email ?? person.key, ...addressIn(rows)],
      lines: rows.map((row) => ({
        date: dateInWords(givenAt(row), locale, timezone, { currency: row.currency }),
        event: row.event_name,
        receipt: row.receipt_number ?? '–',
        amount: money(row.amount, row.currency),
        refunded: row.refunded_amount > 0n ? money(row.refunded_amount, row.currency) : undefined,
      })),
      totals: [...totalsOf(rows)].map(([currency, amount]) => money(amount, currency)),
    });
  }
}

/** Returns the address of the latest donation with an address. */
const addressIn = (rows: readonly DonationAtEvent[]): string[] =>
  rows.findLast(({ donor_address: address }) => address !== null)?.donor_address?.split(/\s*\n\s*/u) ?? [];

function totalsOf(rows: readonly DonationAtEvent[]): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const { currency, amount, refunded_amount: refunded } of rows)
    totals.set(currency, (totals.get(currency) ?? 0n) + amount - refunded);
  return totals;
}
