import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { type Actor, actorOf, type Principal } from '../common/access/principal.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { Database, type Transaction } from '../data/database.js';
import { textOfCause } from '../donations/lifecycle/history-cause.js';
import { DonationChanges } from '../donations/lifecycle/donation-changes.js';
import { UNDONE } from '../donations/list/donation-filters.js';
import { NO_TRIBUTE } from '../donations/tributes/tribute.js';
import { lockDonation } from '../donations/store/donation-store.js';
import { rememberErasure } from '../donations/donors/erased-donors.js';
import { eraseFromAnswers } from '../donations/recording/idempotency.js';
import { EmailsService } from '../mail/emails.service.js';
import {
  END_SAVED_CARDS,
  ERASE_GUESTS,
  ERASE_MATCHER,
  ERASE_IMPORTED,
  ERASE_COLLECTIVE,
  ERASE_FLOOR,
  ERASE_PRINTED,
  ERASE_PROVIDER_REQUESTS,
  ERASE_REASONS,
  ERASE_UPLOADS,
  IS_MATCHER,
  PERSONS,
  SETTLE_EMAIL_ITEMS,
  TO_ERASE,
  noSuchDonor,
  personRef,
  type PersonRef,
} from './donors.sql.js';
import type { Calendar } from '../gift-aid/legal-hold.service.js';
import { NotifiedPersons } from '../tributes/notified-persons.service.js';
import { settleReviewItem } from '../review/review-items.js';
import { announceToWebhooks } from '../webhooks/webhook-messages.js';
import { KeptRecords } from './kept-records.service.js';
import { ERASE_ACCESS } from './own/own-page.sql.js';
import { erasureSubject } from './own/own-requests.service.js';
import type { ErasedDonorDto } from './dto/donor.dto.js';

/** Maximum number of donations erased in one transaction. Donors with more donations need several transactions. */
const BATCH = 200;
const PATTERN_LENGTH = 4_000;
/**
 * The erasure does not search these texts of causes for words of the donor. Sums need the text UNDONE, and the erasure itself writes
 * the other one.
 */
const OWN_REASONS = [UNDONE, textOfCause({ kind: 'donor_erased' })];

/**
 * Erases a donor's personal data: name, e-mail address, message, address, tribute, receipt texts, stored responses, waiting e-mails and entries in guest lists.
 * Donations, amounts and receipt numbers stay. Gift Aid declarations and receipts for the tax office that the law demands to keep stay sealed. The digest of the address stays too, because the totals need it to count the
 * donor once (decision 42).
 */
@Injectable()
export class DonorErasure {
  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
    private readonly keys: KeyRing,
    private readonly emails: EmailsService,
    private readonly records: KeptRecords,
    private readonly notified: NotifiedPersons,
    private readonly audit: Audit,
  ) {}

  /**
   * Erases a donor. A second erasure changes nothing. After an interruption, the next call erases the remaining donations.
   * @throws NotFoundError `DONOR_NOT_FOUND`
   */
  async erase(caller: Principal, key: string): Promise<ErasedDonorDto> {
    const ref = personRef(key);
    const isDonor = (await this.database.query(PERSONS, [...ref.values])).length > 0;
    const actor = actorOf(caller);
    const notified = ref.donorKey ? await this.notified.erase(ref.donorKey, actor) : 0;
    const isMatcher =
      ref.donorKey !== undefined && (await this.database.query(IS_MATCHER, [ref.donorKey])).length > 0;
    if (!isDonor && !isMatcher && notified === 0) throw noSuchDonor();
    const calendar = await this.records.calendar();
    let erased = 0;
    for (let batch = BATCH; batch === BATCH; erased += batch)
      batch = await this.eraseBatch(ref, actor, { before: erased, notified }, calendar);
    const kept = await this.records.kept(ref);
    return {
      key: ref.key,
      deleted: true,
      donations: erased,
      ...(notified > 0 && { notified }),
      ...(kept && { kept }),
    };
  }

  private async eraseBatch(
    ref: PersonRef,
    actor: Actor,
    { before, notified }: { readonly before: number; readonly notified: number },
    calendar: Calendar,
  ): Promise<number> {
    return await this.database.transaction(async (tx) => {
      const found = await tx.query<{ id: string }>(TO_ERASE, [...ref.values, BATCH]);
      const ids = found.map(({ id }) => id);
      // The erasure is stored first, so that a late fact about an earlier payment finds it.
      if (ref.donorKey) {
        await rememberErasure(tx, ref.donorKey);
        for (const statement of ERASE_ACCESS) await tx.query(statement, [ref.donorKey]);
        await tx.query(ERASE_MATCHER, [ref.donorKey]);
        await this.emails.eraseOwnPage(tx, ref.donorKey);
        await settleReviewItem(tx, 'erasure_requested', erasureSubject(ref.key));
      }
      await tx.query(END_SAVED_CARDS, [ref.donorKey ?? null, ids]);
      await tx.query(ERASE_GUESTS, [ref.donorKey ?? null, ids]);
      if (ids.length > 0) {
        // Receipts are issued under the same lock, so no receipt is issued between the seal and the erasure.
        for (const id of ids) await lockDonation(tx, id);
        // The declarations are sealed first, because a sealed one needs the dates of its donations only.
        await this.records.seal(tx, ids, ref.donorKey, calendar);
        const words = new Set<string>();
        for (const id of ids) for (const word of await this.eraseOne(tx, id, actor)) words.add(word);
        await this.eraseAround(tx, ids, words);
      }
      if (ids.length > 0 || before === 0) {
        const detail = { donations: ids.length, ...(before === 0 && notified > 0 && { notified }) };
        await this.audit.record(actor, 'donor.erase', ref.key, detail, tx);
        if (ids.length > 0) await announceToWebhooks(tx, 'donor.erased', null, { donationIds: ids });
      }
      return ids.length;
    });
  }

  /**
   * Erases the donor data of one donation.
   * @returns the donor texts of the donation, to erase them in other tables too
   */
  private async eraseOne(tx: Transaction, id: string, actor: Actor): Promise<string[]> {
    const donation = await lockDonation(tx, id);
    if (!donation) return [];
    this.changes.apply(tx, donation, {
      fact: { kind: 'edited' },
      columns: {
        donor_name: null,
        donor_email: null,
        message: null,
        donor_address: null,
        address: null,
        ...NO_TRIBUTE,
        gift_aid: null,
        reference: null,
        note: null,
        benefit_text: null,
        donor_pronunciation: null,
        is_anonymous: true,
      },
      actor,
      cause: { kind: 'donor_erased' },
    });
    const { donor_name: name, donor_email: email, message, tribute } = donation;
    return [name, email, message, tribute?.name, tribute?.message, tribute?.notifyEmail].filter(
      (word) => word !== null && word !== undefined,
    );
  }

  private async eraseAround(
    tx: Transaction,
    ids: readonly string[],
    words: ReadonlySet<string>,
  ): Promise<void> {
    await tx.query(ERASE_PRINTED, [ids]);
    await tx.query(ERASE_COLLECTIVE, [ids]);
    await eraseFromAnswers(tx, this.keys, ids);
    await this.emails.eraseOf(tx, ids);
    await tx.query(SETTLE_EMAIL_ITEMS, [ids]);
    await tx.query(ERASE_PROVIDER_REQUESTS, [ids]);
    await tx.query(ERASE_UPLOADS);
    for (const pattern of patternsOf(words)) {
      for (const statement of [...ERASE_IMPORTED, ERASE_FLOOR]) await tx.query(statement, [pattern]);
      for (const statement of ERASE_REASONS) await tx.query(statement, [ids, pattern, OWN_REASONS]);
    }
  }
}

/**
 * Returns search patterns for all texts of a donor. The length of each pattern is limited, because PostgreSQL cannot compile
 * one pattern for hundreds of messages.
 */
function patternsOf(words: ReadonlySet<string>): string[] {
  const patterns: string[] = [];
  // Longer words are replaced first, so that no part of a name remains.
  for (const word of [...words].sort((one, other) => other.length - one.length)) {
    const escaped = word.replace(/[^\p{L}\p{N}\s]/gu, '\\$&');
    const last = patterns.at(-1);
    if (last !== undefined && last.length + escaped.length < PATTERN_LENGTH)
      patterns[patterns.length - 1] = `${last}|${escaped}`;
    else patterns.push(escaped);
  }
  return patterns;
}
