import { Injectable } from '@nestjs/common';
import type { Actor } from '../common/access/principal.js';
import { ConflictError, ReceiptIncompleteError } from '../common/errors/domain-errors.js';
import { Database, type Transaction } from '../data/database.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import { newCheckCode } from './check-code.js';
import { type FactsRow, factsOf, type PackPlan } from './pack-plan.js';
import { type AnnualFacts, annualFindingsOf, deductible } from './packs/receipt-pack.js';
import { receiptNumber, yearIn } from './receipt-content.js';
import {
  COLLECTIVES,
  type CollectiveRow,
  CONFIRMED,
  type ConfirmedRow,
  FACTS_OF_DONATIONS,
  ISSUE_COLLECTIVE,
  LOCK_COUNTER,
  LOCK_DONATIONS,
  VOID_CONFIRMED,
} from './receipts.sql.js';

export interface WantedCollective {
  readonly plan: PackPlan;
  readonly from: string;
  readonly to: string;
  /** Donations of the donor in these days, in the order of their days. */
  readonly donationIds: readonly string[];
  /** All donations of the donor, also those that came back. */
  readonly everyDonationId: readonly string[];
  readonly donorName: string | null;
  readonly donorAddress: string | null;
  /** True if single receipts of these donations become void. */
  readonly isIncluding: boolean;
}

export interface CollectiveReceipt {
  readonly number: string;
  readonly issuedAt: Date;
  readonly version: string;
  readonly facts: AnnualFacts;
  readonly replaces: string | null;
  readonly checkCode: string | null;
  readonly copy: boolean;
  /** True if all its gifts came back. */
  readonly isVoid: boolean;
  /** True if a gift was corrected, refunded or cancelled since the issue. */
  readonly isOutdated: boolean;
}

/** Issues the receipts about all gifts of a donor in a year. */
@Injectable()
export class CollectiveReceipts {
  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
  ) {}

  /**
   * Returns the valid collective receipt if it still matches its gifts; otherwise issues one, which replaces it. If all gifts came back,
   * returns the last one as void.
   * @throws ConflictError `STATEMENT_EMPTY` without a gift; `RECEIPT_INCOMPLETE`; `GIFTS_CONFIRMED` if a gift has a single receipt
   */
  async issue(actor: Actor, wanted: WantedCollective): Promise<CollectiveReceipt> {
    const { plan, from, to } = wanted;
    return await this.database.transaction(async (tx) => {
      const now = new Date();
      const gifts = await giftsOf(tx, wanted, now);
      if (gifts.length === 0) {
        const [returned] = await tx.query<CollectiveRow>(COLLECTIVES, [
          [...wanted.everyDonationId],
          from,
          to,
        ]);
        if (returned?.facts) return toReceipt({ ...returned, facts: returned.facts }, true, true);
        throw new ConflictError('STATEMENT_EMPTY', `There are no gifts from ${from} to ${to}`);
      }
      const ids = gifts.map(({ id }) => id);
      const confirmed = await tx.query<ConfirmedRow>(CONFIRMED, [ids]);
      const singles = confirmed.filter(({ is_collective }) => !is_collective);
      if (singles.length > 0 && !wanted.isIncluding) throw alreadyConfirmed(singles);
      const known = await tx.query<CollectiveRow>(COLLECTIVES, [ids, from, to]);
      const [last] = known;
      const same = confirmed.filter(({ year, number }) => year === last?.year && number === last.number);
      if (
        last?.facts &&
        !last.is_outdated &&
        same.length === ids.length &&
        last.facts.gifts.length === ids.length
      )
        return toReceipt({ ...last, facts: last.facts }, true);

      const facts: AnnualFacts = { from, to, locale: 'de', gifts: gifts.map(({ facts: one }) => one) };
      const findings = annualFindingsOf(plan.pack, facts);
      if (findings.length > 0) throw new ReceiptIncompleteError(findings);
      const old = [...known, ...confirmed.filter(({ is_collective }) => is_collective)];
      await tx.query(VOID_CONFIRMED, [
        old.map((one) => one.year),
        old.map((one) => one.number),
        singles.map(({ donation_id: id }) => id),
      ]);
      await this.changes.setReceiptNumbers(tx, new Map(singles.map(({ donation_id: id }) => [id, null])));
      const year = yearIn(plan.timezone, now);
      const [counter] = await tx.query<{ last_number: number }>(LOCK_COUNTER, [year]);
      const number = (counter?.last_number ?? 0) + 1;
      const replaces = last ? receiptNumber(last.year, last.number) : null;
      const checkCode = newCheckCode();
      const total = facts.gifts.reduce((sum, gift) => sum + BigInt(deductible(gift)), 0n);
      const [issued] = await tx.query<{ issued_at: Date }>(ISSUE_COLLECTIVE, [
        year,
        number,
        from,
        to,
        plan.pack.id,
        plan.pack.version,
        JSON.stringify(facts),
        replaces,
        ids,
        checkCode,
        total,
        gifts[0]?.facts.currency,
      ]);
      for (const single of singles)
        this.changes.note(
          tx,
          { id: single.donation_id, status: 'COMPLETED' },
          {
            actor,
            cause: {
              kind: 'receipt_replaced',
              number: receiptNumber(single.year, single.number),
              replacedBy: receiptNumber(year, number),
            },
          },
        );
      const row = { year, number, issued_at: issued?.issued_at ?? now, pack_version: plan.pack.version };
      return toReceipt({ ...row, facts, replaces, check_code: checkCode, is_outdated: false }, false);
    });
  }

  /** Returns a copy of the valid collective receipt; undefined if there is none, or the donor was erased. */
  async find({
    from,
    to,
    donationIds,
  }: Pick<WantedCollective, 'from' | 'to' | 'donationIds'>): Promise<CollectiveReceipt | undefined> {
    const [last] = await this.database.query<CollectiveRow>(COLLECTIVES, [[...donationIds], from, to]);
    return last?.facts ? toReceipt({ ...last, facts: last.facts }, true) : undefined;
  }
}

const toReceipt = (
  row: CollectiveRow & { readonly facts: AnnualFacts },
  copy: boolean,
  isVoid = false,
): CollectiveReceipt => ({
  number: receiptNumber(row.year, row.number),
  issuedAt: row.issued_at,
  version: row.pack_version,
  facts: row.facts,
  replaces: row.replaces,
  checkCode: row.check_code,
  copy,
  isVoid,
  isOutdated: row.is_outdated,
});

/** Locks the donations and returns those of which a gift is left, with their facts. */
async function giftsOf(tx: Transaction, wanted: WantedCollective, now: Date) {
  const { plan, donationIds, donorName, donorAddress } = wanted;
  const locked = new Set(
    (await tx.query<{ id: string }>(LOCK_DONATIONS, [[...donationIds]])).map(({ id }) => id),
  );
  const rows = await tx.query<FactsRow>(FACTS_OF_DONATIONS, [[...locked]]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return donationIds
    .flatMap((id) => byId.get(id) ?? [])
    .map((row) => ({ id: row.id, facts: { ...factsOf(plan, row, now), donorName, donorAddress } }))
    .filter(({ facts }) => deductible(facts) > 0);
}

const alreadyConfirmed = (singles: readonly ConfirmedRow[]): ConflictError => {
  const numbers = singles.map(({ year, number }) => receiptNumber(year, number)).join(', ');
  return new ConflictError('GIFTS_CONFIRMED', `These receipts already confirm some of the gifts: ${numbers}`);
};
