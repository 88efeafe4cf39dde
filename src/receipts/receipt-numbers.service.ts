import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../common/access/principal.js';
import { Database, type Transaction } from '../data/database.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import { SettingsService } from '../settings/settings.service.js';
import { newCheckCode } from './check-code.js';
import { type FactsRow, factsOf, type PackPlan } from './pack-plan.js';
import { type Finding, findingsOf, type PackFacts } from './packs/receipt-pack.js';
import { receiptNumber, yearIn } from './receipt-content.js';
import type { IssuedReceipt } from './receipt-row.js';
import {
  FACTS_OF_DONATIONS,
  IN_COLLECTIVE,
  ISSUE,
  LOCK_COUNTER,
  LOCK_DONATIONS,
  VOID_OUTDATED,
} from './receipts.sql.js';

export interface IssuedReceipts {
  /** By donation. */
  readonly receipts: ReadonlyMap<string, IssuedReceipt>;
  /** Donations whose receipt lacks fields, with the findings about them. */
  readonly incomplete: ReadonlyMap<string, readonly Finding[]>;
}

/**
 * Issues receipt numbers. The numbers of each year are consecutive and without gaps. The organization's time zone decides the
 * year.
 */
@Injectable()
export class ReceiptNumbers {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly changes: DonationChanges,
  ) {}

  /**
   * Returns the valid receipts of the COMPLETED donations among these. Missing receipts are issued in the order of the donation
   * ids. If the donor was corrected, the old receipt becomes void, and a new receipt with a new number replaces it. If two
   * calls for one donation run at the same time, one call issues the receipt and the other call gets a copy.
   */
  async issue(donationIds: readonly string[]): Promise<ReadonlyMap<string, IssuedReceipt>> {
    return (await this.issueBy(donationIds, undefined, 'skip')).receipts;
  }

  /**
   * Like `issue`, with the receipts of a pack. Acknowledgements of these donations are replaced.
   * @param plan the pack of the event of all these donations; undefined: acknowledgements are issued
   * @param incomplete what happens to donations whose receipt lacks fields: they are skipped, or get an acknowledgement
   */
  async issueBy(
    donationIds: readonly string[],
    plan: PackPlan | undefined,
    incomplete: 'skip' | 'acknowledge',
  ): Promise<IssuedReceipts> {
    if (donationIds.length === 0) return { receipts: new Map(), incomplete: new Map() };
    const { timezone } = await this.settings.global();
    return await this.database.transaction(async (tx) => {
      const locked = await tx.query<{ id: string; series: number | null }>(LOCK_DONATIONS, [
        [...donationIds],
      ]);
      // The donations of a rehearsal are never read together with others.
      const series = locked[0]?.series ?? null;
      const year = series === null ? yearIn(timezone, new Date()) : -series;
      const { packed, lacking } = await readFacts(
        tx,
        locked.map(({ id }) => id),
        plan,
      );
      const completed = locked
        .map(({ id }) => id)
        .filter((id) => incomplete === 'acknowledge' || !lacking.has(id));
      const replaced = await tx.query<{ donation_id: string; number: string }>(VOID_OUTDATED, [
        completed,
        [...packed.keys()],
      ]);
      const [counter] = await tx.query<{ last_number: number }>(LOCK_COUNTER, [year]);
      const receipts = await tx.query<IssuedReceipt>(ISSUE, [
        year,
        counter?.last_number ?? 0,
        completed,
        replaced.map(({ donation_id }) => donation_id),
        replaced.map(({ number }) => number),
        completed.map(() => (series === null ? newCheckCode() : null)),
        [...packed.keys()],
        plan?.pack.id ?? null,
        plan?.pack.version ?? null,
        [...packed.values()].map((facts) => JSON.stringify(facts)),
      ]);
      const fresh = receipts.filter(({ copy }) => !copy);
      const numbers = new Map(fresh.map((one) => [one.donation_id, receiptNumber(one.year, one.number)]));
      // A number of a rehearsal is unique only within the rehearsal.
      if (series === null) await this.changes.setReceiptNumbers(tx, numbers);
      for (const { donation_id: id, number } of replaced)
        this.changes.note(
          tx,
          { id, status: 'COMPLETED' },
          {
            actor: SYSTEM,
            cause: { kind: 'receipt_replaced', number, replacedBy: numbers.get(id) },
          },
        );
      return {
        receipts: new Map(receipts.map((receipt) => [receipt.donation_id, receipt])),
        incomplete: lacking,
      };
    });
  }
}

/** A collective receipt already confirms the gift. */
export const IN_ANOTHER: readonly Finding[] = [{ field: 'collective', rule: 'collective' }];

/** Returns the facts of the donations that can have a receipt of the pack, and the findings about the others. */
async function readFacts(tx: Transaction, donationIds: readonly string[], plan: PackPlan | undefined) {
  const packed = new Map<string, PackFacts>();
  const lacking = new Map<string, readonly Finding[]>();
  if (plan) {
    const now = new Date();
    const elsewhere = await tx.query<{ donation_id: string }>(IN_COLLECTIVE, [[...donationIds]]);
    const inCollective = new Set(elsewhere.map(({ donation_id: id }) => id));
    for (const row of await tx.query<FactsRow>(FACTS_OF_DONATIONS, [[...donationIds]])) {
      const facts = factsOf(plan, row, now);
      const findings = inCollective.has(row.id) ? IN_ANOTHER : findingsOf(plan.pack, facts);
      if (findings.length === 0) packed.set(row.id, facts);
      else lacking.set(row.id, findings);
    }
  }
  return { packed, lacking };
}
