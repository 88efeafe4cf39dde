import { Injectable } from '@nestjs/common';
import { localDay } from '../common/text/local-time.js';
import { Database, type Statement } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import type {
  IncompleteDonationDto,
  IncompleteFieldDto,
  IncompleteReceiptsDto,
} from './dto/incomplete-receipts.dto.js';
import { type FactsRow, factsOf, type PackPlan } from './pack-plan.js';
import { type Finding, findingsOf } from './packs/receipt-pack.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { WITHOUT_PACK, WITHOUT_PACK_OF_DONOR } from './receipts.sql.js';

const BATCH = 500;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
/** Number of donations in an answer. */
const NAMED = 100;

type Row = FactsRow & {
  readonly event_id: string;
  readonly donor_key: string | null;
  readonly donor_email: string | null;
  readonly locale: string | null;
};

interface Incomplete {
  readonly row: Row;
  readonly findings: readonly Finding[];
}

/** A donor whose address the tax office needs. */
export interface DonorWithoutAddress {
  readonly donorKey: Buffer;
  readonly email: string;
  /** Language of the page on which the donor gave last; null for a donation that was recorded. */
  readonly locale: string | null;
}

/** Finds the receipts of an event that the tax office would not accept. */
@Injectable()
export class IncompleteReceipts {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly issuers: ReceiptIssuers,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async of(eventRef: string): Promise<IncompleteReceiptsDto> {
    const event = await this.events.get(eventRef);
    const plan = await this.issuers.planOf(event.overrides);
    if (!plan)
      return {
        pack: 'none',
        version: null,
        reviewed: false,
        ending: [],
        incomplete: 0,
        fields: [],
        donations: [],
      };
    const donors = new Map<string, IncompleteFieldDto & { readonly keys: Set<string> }>();
    const donations: IncompleteDonationDto[] = [];
    let incomplete = 0;
    for await (const { row, findings } of this.incomplete(WITHOUT_PACK, event.id, () => plan)) {
      incomplete++;
      if (donations.length < NAMED)
        donations.push({ donationId: row.id, donorName: row.donor_name, findings: [...findings] });
      for (const { field, rule } of findings) {
        const known = donors.get(`${field} ${rule}`) ?? { field, rule, donors: 0, keys: new Set<string>() };
        known.keys.add(row.donor_key ?? row.id);
        donors.set(`${field} ${rule}`, known);
      }
    }
    return {
      pack: plan.pack.id,
      version: plan.pack.version,
      reviewed: plan.pack.reviewed !== null,
      ending: [...(plan.pack.warn?.(plan.legal, localDay(new Date(), plan.timezone)) ?? [])],
      incomplete,
      fields: [...donors.values()]
        .map(({ field, rule, keys }) => ({ field, rule, donors: keys.size }))
        .sort((one, other) => other.donors - one.donors),
      donations,
    };
  }

  /** Returns each donor of an event whose postal address is missing, if the service knows an e-mail address. */
  async donorsWithoutAddress(eventRef: string): Promise<DonorWithoutAddress[]> {
    const event = await this.events.get(eventRef);
    const plan = await this.issuers.planOf(event.overrides);
    const donors = new Map<string, DonorWithoutAddress>();
    for await (const { row, findings } of this.incomplete(WITHOUT_PACK, event.id, () => plan)) {
      const { donor_key: key, donor_email: email, locale } = row;
      if (key !== null && email !== null && lacksAddress(findings))
        donors.set(key, { donorKey: Buffer.from(key, 'hex'), email, locale });
    }
    return [...donors.values()];
  }

  /** Returns the ids of a donor's donations whose receipts need the postal address. */
  async withoutAddressOf(donorKey: Buffer): Promise<ReadonlySet<string>> {
    const plans = new Map<string, PackPlan | undefined>();
    const planOf = async ({ event_id: id }: Row) => {
      if (!plans.has(id)) plans.set(id, await this.issuers.planOf((await this.events.get(id)).overrides));
      return plans.get(id);
    };
    const ids = new Set<string>();
    for await (const { row, findings } of this.incomplete(WITHOUT_PACK_OF_DONOR, donorKey, planOf))
      if (lacksAddress(findings)) ids.add(row.id);
    return ids;
  }

  private async *incomplete(
    statement: Statement,
    of: string | Buffer,
    planOf: (row: Row) => PackPlan | undefined | Promise<PackPlan | undefined>,
  ): AsyncGenerator<Incomplete, void, undefined> {
    const now = new Date();
    for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
      const rows: Row[] = await this.database.query<Row>(statement, [of, after, BATCH]);
      for (const row of rows) {
        const plan = await planOf(row);
        const findings = plan ? findingsOf(plan.pack, factsOf(plan, row, now)) : [];
        if (findings.length > 0) yield { row, findings };
      }
      after = rows.length === BATCH ? rows.at(-1)?.id : undefined;
    }
  }
}

/** The field of every pack for the postal address of the donor. */
const lacksAddress = (findings: readonly Finding[]): boolean =>
  findings.some(({ field }) => field === 'donorAddress');
