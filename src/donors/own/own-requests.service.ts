import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { NotFoundError, TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../../data/database.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import { lockDonation } from '../../donations/store/donation-store.js';
import { OWN_PAGE_PATH } from '../../mail/content/own-page-email.js';
import { Mailer } from '../../mail/mailer.service.js';
import { readCheckCode } from '../../receipts/check-code.js';
import { Counters } from '../../redis/counters.js';
import { raiseReviewItem } from '../../review/review-items.js';
import { ERASURE_REQUEST, LOCK_DONOR, UNCLAIMED_BY_CODE } from './own-page.sql.js';
import { DONOR, type OwnDonor } from './own-sessions.service.js';

const HOUR_SECONDS = 3_600;
/** The law gives the charity a month to answer (GDPR, article 12). */
const ANSWER_MS = 30 * 24 * HOUR_SECONDS * 1_000;
/** Wrong codes that one donor may type in an hour. */
const TRIES = 3;

/** Subject of the review item about a donor. */
export const erasureSubject = (key: string): string => `donor:${key}`;

/** Requests of a donor that change who they are to the charity: a donation that is theirs too, and the erasure. */
@Injectable()
export class OwnRequests {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly changes: DonationChanges,
    private readonly counters: Counters,
    private readonly mailer: Mailer,
    private readonly audit: Audit,
  ) {}

  /** Time of the open request for the erasure; undefined if there is none. */
  async erasureRequestedAt({ key }: OwnDonor): Promise<Date | undefined> {
    const [item] = await this.database.query<{ created_at: Date }>(ERASURE_REQUEST, [erasureSubject(key)]);
    return item?.created_at;
  }

  /**
   * Asks the office to erase the donor, and confirms it by e-mail. The office decides, because the law may oblige it to keep facts.
   * A second request changes nothing.
   * @param locale language of the e-mail, BCP 47
   */
  async requestErasure({ donorKey, key, email }: OwnDonor, locale: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const subject = erasureSubject(key);
      await tx.query(LOCK_DONOR, [donorKey]);
      if ((await tx.query(ERASURE_REQUEST, [subject])).length > 0) return;
      const dueBy = new Date(Date.now() + ANSWER_MS);
      await raiseReviewItem(tx, { kind: 'erasure_requested', subject, donationId: null, detail: {}, dueBy });
      await this.audit.record(DONOR, 'donor.request_erasure', key, {}, tx);
      const url = `${this.config.publicUrl}${OWN_PAGE_PATH}?lang=${locale}`;
      this.mailer.enqueueOwnPage(tx, 'erasure_requested', {
        donorKey,
        to: email,
        locale,
        url,
        expiresAt: null,
      });
    });
  }

  /**
   * Adds a donation without an e-mail address to the donor's own, with the code that is printed on its receipt. The donation gets the
   * donor's address. The code is random, so only people who have the receipt know it.
   * @param typed the code, as printed or typed
   * @throws NotFoundError `RECEIPT_NOT_FOUND`, also for a receipt of a known donor
   * @throws TooManyRequestsError `OWN_CLAIM_LIMIT`
   */
  async claim({ donorKey, key, email }: OwnDonor, typed: string): Promise<void> {
    const { allowed, resetSeconds } = await this.counters.hit(`own-claim:${key}`, TRIES, HOUR_SECONDS);
    if (!allowed)
      throw new TooManyRequestsError(
        resetSeconds,
        'OWN_CLAIM_LIMIT',
        'Too many codes were tried; try again later',
      );
    const code = readCheckCode(typed);
    await this.database.transaction(async (tx) => {
      const [found] = code === undefined ? [] : await tx.query<{ id: string }>(UNCLAIMED_BY_CODE, [code]);
      const before = found && (await lockDonation(tx, found.id));
      const after =
        before?.donor_key === null && before.status === 'COMPLETED'
          ? this.changes.apply(tx, before, {
              fact: { kind: 'edited' },
              columns: { donor_email: email, donor_key: donorKey },
              actor: DONOR,
            })
          : undefined;
      if (!after)
        throw new NotFoundError('RECEIPT_NOT_FOUND', 'No receipt without a known donor has this code');
      await this.audit.record(DONOR, 'donation.claim', after.id, {}, tx);
    });
  }
}
