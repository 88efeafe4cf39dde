import { localDay } from '../common/text/local-time.js';
import { givenAt } from '../donations/recording/given-at.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import type { Settings } from '../settings/settings.js';
import type { PackFacts, PackOrganization, ReceiptPack } from './packs/receipt-pack.js';
import { packOf } from './packs/registry.js';

/** The pack of the receipts of an event, with the facts of the organization. */
export interface PackPlan {
  readonly pack: ReceiptPack;
  readonly organization: PackOrganization;
  readonly legal: Readonly<Record<string, unknown>>;
  readonly timezone: string;
}

/** Columns of a donation that a pack prints. */
export type FactsRow = Pick<
  DonationRow,
  | 'id'
  | 'amount'
  | 'refunded_amount'
  | 'currency'
  | 'type'
  | 'donor_name'
  | 'donor_address'
  | 'benefit_value'
  | 'benefit_text'
  | 'created_at'
  | 'completed_at'
  | 'recorded_at'
  | 'paid_at'
>;

/** Returns the pack in the settings in effect; undefined if receipts are acknowledgements. */
export function packPlan({ receipts, legal, organization, timezone }: Settings): PackPlan | undefined {
  const pack = packOf(receipts.pack);
  if (!pack) return undefined;
  const { legalName, address, signatory } = legal;
  const ofCountry: unknown = legal[pack.id as keyof typeof legal];
  return {
    pack,
    organization: { name: legalName || organization, address, signatory },
    legal: ofCountry as Readonly<Record<string, unknown>>,
    timezone,
  };
}

/** Returns the facts that a receipt of the donation would print if it were issued at the given time. */
export const factsOf = (
  { organization, legal, timezone }: PackPlan,
  row: FactsRow,
  issuedAt: Date,
): PackFacts => ({
  receivedOn: localDay(givenAt(row), timezone),
  issuedOn: localDay(issuedAt, timezone),
  currency: row.currency,
  amount: Number(row.amount),
  refunded: Number(row.refunded_amount),
  benefitValue: row.benefit_value === null ? null : Number(row.benefit_value),
  benefitText: row.benefit_text,
  type: row.type,
  donorName: row.donor_name,
  donorAddress: row.donor_address,
  organization,
  legal,
});
