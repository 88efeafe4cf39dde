import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../audit/audit.js';
import { type Actor, SYSTEM } from '../common/access/principal.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { Database, type Transaction } from '../data/database.js';
import { notifiedPersonOf } from '../donations/donors/donor-token.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import { eraseNotifiedFromAnswers } from '../donations/recording/idempotency.js';
import { lockDonation } from '../donations/store/donation-store.js';
import type { Tribute } from '../donations/tributes/tribute.js';
import { OLD_ADDRESSES, OPT_OUT, OPTED_OUT, TOLD } from './tributes.sql.js';

const BATCH = 200;
const STRANGER: Actor = { kind: 'donor', id: null };

/** A donation whose tribute notifies a person. */
export interface ToldTribute {
  readonly id: string;
  readonly tribute: Tribute;
  readonly completed_at: Date | null;
}

/** The persons whom tributes notify: their objection, their data, and the erasure of their addresses. */
@Injectable()
export class NotifiedPersons {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
  ) {}

  /** The tributes that name an address, newest first. */
  async told(addressKey: Buffer, most: number): Promise<ToldTribute[]> {
    return await this.database.query<ToldTribute>(TOLD, [addressKey, most]);
  }

  /** Returns true if the address of a link wants no e-mails; undefined if the link is not valid. */
  async hasOptedOut(token: unknown): Promise<boolean | undefined> {
    const person = notifiedPersonOf(this.keys, token);
    if (!person) return undefined;
    return (await this.database.query(OPTED_OUT, [person.addressKey])).length > 0;
  }

  /** Ends the e-mails to the address of a link, at all events. A repeat changes nothing. */
  async optOut(token: unknown): Promise<void> {
    const person = notifiedPersonOf(this.keys, token);
    if (!person) return;
    const { addressKey, donationId } = person;
    await this.database.transaction(async (tx) => {
      const added = await tx.query(OPT_OUT, [addressKey]);
      if (added.length > 0) await this.audit.record(STRANGER, 'tribute.opt_out', donationId, {}, tx);
    });
  }

  /**
   * Erases an address and the words for it from all tributes. The name of the honoured person stays, because it belongs to the donor.
   * @returns the number of tributes
   */
  async erase(addressKey: Buffer, actor: Actor): Promise<number> {
    let erased = 0;
    for (let batch = BATCH; batch === BATCH; erased += batch) {
      const found = await this.told(addressKey, BATCH);
      batch = found.length;
      await this.database.transaction(async (tx) => {
        for (const { id } of found) await this.eraseOne(tx, id, actor);
      });
    }
    return erased;
  }

  /** Erases addresses that are no longer needed. Two processes may run this at the same time. */
  @Cron('41 * * * *')
  async eraseOld(): Promise<number> {
    const found = await this.database.query<{ id: string }>(OLD_ADDRESSES, [BATCH]);
    for (const { id } of found) await this.database.transaction((tx) => this.eraseOne(tx, id, SYSTEM));
    return found.length;
  }

  private async eraseOne(tx: Transaction, id: string, actor: Actor): Promise<void> {
    const donation = await lockDonation(tx, id);
    if (!donation?.tribute) return;
    await eraseNotifiedFromAnswers(tx, this.keys, id);
    this.changes.apply(tx, donation, {
      fact: { kind: 'edited' },
      columns: {
        tribute: { ...donation.tribute, notifyEmail: null, message: null },
        notified_key: null,
      },
      actor,
      cause: { kind: 'notified_person_erased' },
    });
  }
}
