import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { addressLines, type PostalAddress } from '../../common/text/postal-address.js';
import { Database } from '../../data/database.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import { lockDonation } from '../../donations/store/donation-store.js';
import { NEWEST_ADDRESS, WITHOUT_PRINTED_ADDRESS } from './own-page.sql.js';
import { DONOR, type OwnDonor } from './own-sessions.service.js';

/** Donations that one transaction changes. */
const BATCH = 200;

/** The postal address that the donor gave last. */
export interface OwnAddress {
  /** Lines, as on a letter. */
  readonly text: string;
  /** Null for an address that was typed as one text. */
  readonly parts: PostalAddress | null;
}

/** The postal address of a donor, for the receipts that are not issued yet. */
@Injectable()
export class OwnAddresses {
  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
  ) {}

  async of({ donorKey }: OwnDonor): Promise<OwnAddress | undefined> {
    const [newest] = await this.database.query<{ donor_address: string; address: PostalAddress | null }>(
      NEWEST_ADDRESS,
      [donorKey],
    );
    return newest && { text: newest.donor_address, parts: newest.address };
  }

  /**
   * Changes the address of the donations whose receipts do not print one yet. A receipt with an address is a document of the
   * charity, so only the office corrects it.
   * @param locale language of the country's name, BCP 47
   * @returns the number of changed donations
   */
  async change({ donorKey, key }: OwnDonor, address: PostalAddress, locale: string): Promise<number> {
    const text = addressLines(address, locale).join('\n');
    let changed = 0;
    for (let batch = BATCH; batch === BATCH; changed += batch)
      batch = await this.database.transaction(async (tx) => {
        const found = await tx.query<{ id: string }>(WITHOUT_PRINTED_ADDRESS, [donorKey, text, BATCH]);
        for (const { id } of found) {
          const before = await lockDonation(tx, id);
          if (before)
            this.changes.apply(tx, before, {
              fact: { kind: 'edited' },
              columns: { donor_address: text, address },
              actor: DONOR,
            });
        }
        if (found.length > 0)
          await this.audit.record(DONOR, 'donor.change_address', key, { donations: found.length }, tx);
        return found.length;
      });
    return changed;
  }
}
