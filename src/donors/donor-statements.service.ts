import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import type { Actor } from '../common/access/principal.js';
import { ConflictError, ReceiptIncompleteError } from '../common/errors/domain-errors.js';
import { formatMoney } from '../common/money/money.js';
import { startOfDay } from '../common/text/start-of-day.js';
import { Database } from '../data/database.js';
import { givenAt } from '../donations/recording/given-at.js';
import { factsOf, type PackPlan } from '../receipts/pack-plan.js';
import { type AnnualFacts, annualFindingsOf, deductible } from '../receipts/packs/receipt-pack.js';
import { ReceiptFiles } from '../receipts/receipt-files.service.js';
import {
  type CollectiveReceipt,
  CollectiveReceipts,
  type WantedCollective,
} from '../receipts/collective-receipts.service.js';
import { checkAtOf, type ReceiptIssuer } from '../receipts/receipt-content.js';
import { ReceiptIssuers } from '../receipts/receipt-issuers.service.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { type DonationAtEvent, DonorsService } from './donors.service.js';
import type { PersonDto } from './dto/donor.dto.js';
import { DONATION_IDS, DONATIONS_OF_YEAR, personRef } from './donors.sql.js';
import { periodOfYear, type StatementPeriod, yearOf } from './statement-period.js';
import type { StatementContent } from './statement-pdf.js';
import { fillText } from '../common/text/fill-text.js';
import { donorLocale } from '../receipts/receipt-wording.js';
import { type StatementWording, statementWording } from './statement-wording.js';
import { dateInWords } from '../common/text/local-time.js';

const STATEMENT_PDF: ThreadFunction<StatementContent, Uint8Array> = {
  file: threadFile('donors/statement-pdf.js'),
  name: 'statementPdf',
};

/**
 * The form that is asked for: the annual document of the pack; the same, or the list while fields are missing; or the list. Without
 * an annual document, each form is the list.
 */
export type StatementForm = 'document' | 'any' | 'list';

/** Statement: the donations of one donor in a period, at all events. */
@Injectable()
export class DonorStatements {
  constructor(
    private readonly database: Database,
    private readonly donors: DonorsService,
    private readonly issuers: ReceiptIssuers,
    private readonly events: EventLookup,
    private readonly files: ReceiptFiles,
    private readonly collectives: CollectiveReceipts,
    private readonly audit: Audit,
    private readonly thread: ExportThread,
  ) {}

  /**
   * Creates the statement of completed donations less refunds, with one sum for each currency; or the annual document of the pack.
   * @param wanted locale of the reader, BCP 47; without it that of the donor
   * @throws NotFoundError `DONOR_NOT_FOUND`, ConflictError `STATEMENT_EMPTY` for a period without donations; `RECEIPT_INCOMPLETE` if
   * the tax office would not accept the annual document
   */
  async of(
    actor: Actor,
    key: string,
    { from, to }: StatementPeriod,
    form: StatementForm,
    wanted?: string,
  ): Promise<Buffer> {
    const person = await this.donors.person(key);
    // Uses the global settings of the organization, because the statement covers all events.
    const issuer = await this.issuers.of({});
    const { timezone } = issuer;
    const rows = await this.rowsOf(key, { from, to }, timezone);
    if (rows.length === 0)
      throw new ConflictError('STATEMENT_EMPTY', `There are no donations from ${from} to ${to}`);
    const offered = { default: issuer.locale, supported: issuer.supported };
    const chosen = rows.findLast((row) => row.locale !== null)?.locale ?? null;
    const locale = wanted ?? donorLocale(offered, chosen);
    const issued = form === 'any' ? await this.issuedFor(rows, { from, to }) : undefined;
    if (issued) {
      await this.audit.record(actor, 'donor.statement', person.key, { from, to });
      return await this.drawn(issued, issuer);
    }
    const annual = form === 'list' ? undefined : await this.annual(rows, person, { from, to, locale }, form);
    await this.audit.record(actor, 'donor.statement', person.key, { from, to });
    if (annual) return await this.files.annual({ ...annual, logo: issuer.logo });
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
      ...inWords({ from, to }, wording, (day) =>
        dateInWords(startOfDay(day, timezone), locale, timezone, { currency: rows[0]?.currency }),
      ),
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

  /**
   * Returns the collective receipt of a donor for a calendar year, and issues it if necessary.
   * @param isIncluding true if single receipts of these donations become void
   * @throws NotFoundError `DONOR_NOT_FOUND`, ConflictError `COLLECTIVE_OFF` if the pack of the organization has none; `STATEMENT_EMPTY`,
   * `RECEIPT_INCOMPLETE`, `GIFTS_CONFIRMED`
   */
  async collective(actor: Actor, key: string, year: number, isIncluding: boolean): Promise<Buffer> {
    const person = await this.donors.person(key);
    const issuer = await this.issuers.of({});
    const { timezone } = issuer;
    const plan = await this.issuers.planOf({});
    if (!plan?.pack.collective) throw collectiveOff();
    const period = periodOfYear(year);
    const rows = await this.rowsOf(key, period, timezone);
    const packs = await this.packsOf(rows);
    const wanted: WantedCollective = {
      plan,
      ...period,
      ...donorIn(rows, person),
      donationIds: rows.filter((row) => packs.get(row.event_id) === plan.pack.id).map(({ id }) => id),
      everyDonationId: (
        await this.database.query<{ id: string }>(DONATION_IDS, [...personRef(key).values])
      ).map(({ id }) => id),
      isIncluding,
    };
    const receipt = await this.collectives.issue(actor, wanted);
    await this.audit.record(actor, 'donor.statement', person.key, { ...period });
    return await this.drawn(receipt, issuer);
  }

  /** Returns the collective receipt of these donations that is issued and still matches them. */
  private async issuedFor(
    rows: readonly DonationAtEvent[],
    period: StatementPeriod,
  ): Promise<CollectiveReceipt | undefined> {
    const issued = await this.collectives.find({ ...period, donationIds: rows.map(({ id }) => id) });
    return issued && !issued.isOutdated ? issued : undefined;
  }

  private async drawn(receipt: CollectiveReceipt, issuer: ReceiptIssuer): Promise<Buffer> {
    const { version, facts, number, replaces, issuedAt, copy, isVoid } = receipt;
    return await this.files.collective({
      version,
      facts,
      number: { number, replaces, issuedOn: facts.gifts[0]?.issuedOn ?? '' },
      issuedAt,
      copy,
      voidBecause: isVoid ? 'refunded' : undefined,
      checkAt: checkAtOf(receipt, issuer),
      logo: issuer.logo,
    });
  }

  private async rowsOf(
    key: string,
    { from, to }: StatementPeriod,
    timezone: string,
  ): Promise<DonationAtEvent[]> {
    return await this.database.query<DonationAtEvent>(DONATIONS_OF_YEAR, [
      ...personRef(key).values,
      startOfDay(from, timezone),
      startOfDay(to, timezone, 1),
    ]);
  }

  /**
   * Returns the annual document of the pack of the organization; undefined if the pack has none, or the form allows a list instead.
   * @throws ConflictError `STATEMENT_EMPTY`, `RECEIPT_INCOMPLETE`
   */
  private async annual(
    rows: readonly DonationAtEvent[],
    person: PersonDto,
    period: StatementPeriod & { readonly locale: string },
    form: 'document' | 'any',
  ): Promise<{ readonly version: string; readonly facts: AnnualFacts } | undefined> {
    const plan = await this.issuers.planOf({});
    if (!plan?.pack.annual) return undefined;
    const gifts = await this.giftsOf(rows, plan, person);
    if (gifts.length === 0) {
      if (form === 'any') return undefined;
      throw new ConflictError('STATEMENT_EMPTY', `There are no gifts from ${period.from} to ${period.to}`);
    }
    const facts: AnnualFacts = { ...period, gifts };
    const findings = annualFindingsOf(plan.pack, facts);
    if (findings.length === 0) return { version: plan.pack.version, facts };
    if (form === 'any') return undefined;
    throw new ReceiptIncompleteError(findings);
  }

  /** The pack of each event. */
  private async packsOf(rows: readonly DonationAtEvent[]): Promise<ReadonlyMap<string, string | undefined>> {
    const packs = new Map<string, string | undefined>();
    for (const id of new Set(rows.map(({ event_id }) => event_id))) {
      const { overrides } = await this.events.get(id);
      packs.set(id, (await this.issuers.planOf(overrides))?.pack.id);
    }
    return packs;
  }

  /**
   * Returns the gifts that the annual document lists: those of events with the same pack, without donations of which nothing is a gift.
   * Another system of the charity confirms past donations.
   */
  private async giftsOf(
    rows: readonly DonationAtEvent[],
    plan: PackPlan,
    person: PersonDto,
  ): Promise<AnnualFacts['gifts']> {
    const packs = await this.packsOf(rows);
    const same = donorIn(rows, person);
    const now = new Date();
    return rows
      .filter((row) => packs.get(row.event_id) === plan.pack.id && !row.is_past_donation)
      .map((row) => ({ ...factsOf(plan, row, now), ...same }))
      .filter((gift) => deductible(gift) > 0);
  }
}

/** The latest name and address of the donor in these donations, otherwise in all. */
const donorIn = (
  rows: readonly DonationAtEvent[],
  person: PersonDto,
): Pick<WantedCollective, 'donorName' | 'donorAddress'> => ({
  donorName: rows.findLast(({ donor_name: name }) => name !== null)?.donor_name ?? person.name,
  donorAddress:
    rows.findLast(({ donor_address: given }) => given !== null)?.donor_address ??
    person.donations.find(({ donorAddress }) => (donorAddress ?? null) !== null)?.donorAddress ??
    null,
});

const collectiveOff = () =>
  new ConflictError('COLLECTIVE_OFF', 'The receipts of the organization have no collective receipt');

/** A whole year has its number. Another period has its first and last day. */
function inWords(
  period: StatementPeriod,
  wording: StatementWording,
  words: (day: string) => string,
): Pick<StatementContent, 'period' | 'intro'> {
  const year = yearOf(period);
  if (year !== undefined) return { period: year, intro: fillText(wording.intro, { year }) };
  const days = { from: words(period.from), to: words(period.to) };
  return { period: `${days.from} – ${days.to}`, intro: fillText(wording.introDays, days) };
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
