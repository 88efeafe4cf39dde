import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { firstIdAt } from '../common/ids.js';
import { Database } from '../data/database.js';
import { withInstanceLock } from '../data/instance-lock.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { type ReviewKind, raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import { ApprovedPayments } from './approved-payments.service.js';
import { cancelUnlessUnderWay } from './cancel-payment.js';
import { CancellationService } from './cancellation.service.js';
import type { DonationRow } from '../donations/donation-columns.js';
import { DonationChanges } from '../donations/donation-changes.js';
import { donationById } from '../donations/donation-store.js';
import { pruneKeys } from '../donations/idempotency.js';
import { PaymentFacts } from './facts.service.js';
import { OPEN_REFUNDS, PRUNE, RAISED, UNSETTLED } from './reconciliation.sql.js';
import type { RefundRow } from './refunds.sql.js';
import { IntentsService } from './intents.service.js';
import type { WebhookEvent, PaymentProvider } from './payment-provider.js';
import { WebhookUnsettledError } from './provider-errors.js';
import { PaymentProviders } from './providers.js';
import { WebhooksService } from './webhooks.service.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const VOUCHER_GRACE = 3 * DAY;

export interface ReconciliationOptions {
  /** Unsettled donations younger than this are left alone: their messages are probably on the way. */
  readonly settleAfterMs: number;
  /** Unpaid donations older than this are cancelled, at the provider first. */
  readonly expireAfterMs: number;
  /** Ask about every unsettled donation, also those asked about a short while ago. */
  readonly all: boolean;
}

export const ON_SCHEDULE: ReconciliationOptions = {
  settleAfterMs: 3 * MINUTE,
  expireAfterMs: DAY,
  all: false,
};
export const BY_HAND: ReconciliationOptions = { settleAfterMs: 0, expireAfterMs: DAY, all: true };

export interface ReconciliationFinding {
  /** `donation`, `refund`, `message`, or `review item`: on the admin's list since this run. */
  readonly what: string;
  readonly id: string;
  readonly found: string;
  readonly result: 'healed' | 'waiting' | 'needs a person';
}

export interface ReconciliationReport {
  readonly checked: number;
  readonly findings: readonly ReconciliationFinding[];
}

interface RaisedItem {
  readonly kind: ReviewKind;
  readonly subject: string;
}

/**
 * Asks the providers about everything that is not settled, and brings the books in line. What it reads may be
 * stale by the time it books; the guarded transitions make that harmless.
 */
@Injectable()
export class ReconciliationService {
  private readonly logger = new Logger(ReconciliationService.name);
  /** Messages that could not be handled: a list that is only continued does not contain them again. */
  private readonly unhandled = new Map<string, WebhookEvent>();

  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly changes: DonationChanges,
    private readonly webhooks: WebhooksService,
    private readonly cancellation: CancellationService,
    private readonly intents: IntentsService,
    private readonly events: EventLookup,
    private readonly approved: ApprovedPayments,
  ) {}

  @Interval(MINUTE)
  async onSchedule(): Promise<void> {
    try {
      const report = await this.run(ON_SCHEDULE);
      for (const finding of report?.findings ?? []) this.logger.warn({ msg: 'reconciliation', ...finding });
    } catch (error) {
      this.logger.error(error);
    }
  }

  /** One run; undefined when another instance is at it. */
  async run(options: ReconciliationOptions): Promise<ReconciliationReport | undefined> {
    return await withInstanceLock(this.database.pool, 'reconciliation', async () => {
      const findings: ReconciliationFinding[] = [];
      const began = firstIdAt(new Date());
      let checked = 0;
      for (const provider of this.providers.all) checked += await this.undelivered(provider, findings);
      checked += await this.donations(options, findings);
      checked += await this.refunds(options, findings);
      await this.newReviewItems(began, findings);
      await pruneKeys(this.database);
      for (const statement of PRUNE) await this.database.query(statement);
      return { checked, findings };
    });
  }

  /** Messages that the provider could not deliver to us. */
  private async undelivered(provider: PaymentProvider, findings: ReconciliationFinding[]): Promise<number> {
    let checked = 0;
    await this.guarded(findings, 'message', provider.name, async () => {
      // A message that cannot be handled must not hide those behind it in the list.
      let failure: Error | undefined;
      for await (const webhookEvent of this.messages(provider)) {
        checked++;
        const key = `${provider.name} ${webhookEvent.id}`;
        this.unhandled.set(key, webhookEvent);
        try {
          if (await this.webhooks.handle(provider, webhookEvent))
            findings.push({
              what: 'message',
              id: webhookEvent.id,
              found: `${webhookEvent.kind} was never delivered`,
              result: 'healed',
            });
          this.unhandled.delete(key);
        } catch (error) {
          const found = this.waiting(webhookEvent, error);
          if (found) findings.push(found);
          else failure ??= error instanceof Error ? error : new Error(String(error));
        }
      }
      if (failure) throw failure;
    });
    return checked;
  }

  /** What cannot be read yet is waited for, and becomes a review item of its own once it is old. */
  private waiting(webhookEvent: WebhookEvent, error: unknown): ReconciliationFinding | undefined {
    if (!(error instanceof WebhookUnsettledError)) return undefined;
    return { what: 'message', id: webhookEvent.id, found: error.message, result: 'waiting' };
  }

  private async *messages(provider: PaymentProvider): AsyncIterable<WebhookEvent> {
    const again = [...this.unhandled].filter(([key]) => key.startsWith(`${provider.name} `));
    for (const [, webhookEvent] of again) yield webhookEvent;
    yield* provider.undelivered(new Date(Date.now() - 3 * DAY));
  }

  private async donations(
    options: ReconciliationOptions,
    findings: ReconciliationFinding[],
  ): Promise<number> {
    const before = firstIdAt(new Date(Date.now() - options.settleAfterMs));
    let after = firstIdAt(new Date(0));
    for (let checked = 0; ;) {
      const rows = await this.database.query<DonationRow>(UNSETTLED, [before, after, options.all]);
      for (const donation of rows) {
        checked++;
        await this.guarded(findings, 'donation', donation.id, () =>
          this.donation(donation, options, findings),
        );
        await this.changes.markChecked(this.database, donation.id);
      }
      const last = rows.at(-1);
      if (!last || !options.all) return checked;
      after = last.id;
    }
  }

  private async donation(
    donation: DonationRow,
    options: ReconciliationOptions,
    findings: ReconciliationFinding[],
  ): Promise<void> {
    const provider = this.providers.ofDonation(donation.provider);
    const expired = donation.created_at.getTime() < Date.now() - options.expireAfterMs;
    // The answer to the payment's creation was lost: the key made from the donation's id finds it again.
    const paymentId =
      donation.payment_id ??
      (await this.intents.createPayment(provider, donation, await this.events.get(donation.event_id)))
        .paymentId;
    // A voucher paid on its last day is told about days later.
    const facts = expired
      ? await cancelUnlessUnderWay(provider, paymentId, new Date(Date.now() - VOUCHER_GRACE))
      : await provider.readPayment(paymentId);
    if (!expired) facts.push(...(await this.approved.follow(provider, facts)));
    await this.facts.book(provider, facts);
    const now = await donationById(this.database, donation.id);
    if (now && now.status !== donation.status)
      findings.push({
        what: 'donation',
        id: donation.id,
        found: `${donation.status}, in truth ${now.status}`,
        result: 'healed',
      });
    else if (donation.payment_id === null)
      findings.push({
        what: 'donation',
        id: donation.id,
        found: 'its payment was not recorded',
        result: 'healed',
      });
  }

  private async refunds(options: ReconciliationOptions, findings: ReconciliationFinding[]): Promise<number> {
    const refunds = await this.database.query<RefundRow>(OPEN_REFUNDS, [
      new Date(Date.now() - options.settleAfterMs),
    ]);
    for (const refund of refunds)
      await this.guarded(findings, 'refund', refund.id, async () => {
        const status = await this.refund(refund);
        if (status === undefined || status === refund.status) return;
        const result =
          status === 'succeeded' ? 'healed' : status === 'pending' ? 'waiting' : 'needs a person';
        findings.push({
          what: 'refund',
          id: refund.id,
          found: `${refund.status}, in truth ${status}`,
          result,
        });
      });
    return refunds.length;
  }

  /** Money that was brought in may itself need a person: another amount, a payment after the cancellation. */
  private async newReviewItems(began: string, findings: ReconciliationFinding[]): Promise<void> {
    const listed = new Set(findings.map(({ what, id }) => `${what}:${id}`));
    for (const { kind, subject } of await this.database.query<RaisedItem>(RAISED, [began]))
      if (!listed.has(subject))
        findings.push({ what: 'review item', id: subject, found: kind, result: 'needs a person' });
  }

  private async refund(refund: RefundRow): Promise<string | undefined> {
    const donation =
      refund.donation_id === null ? undefined : await donationById(this.database, refund.donation_id);
    if (!donation) return undefined;
    if (refund.provider_refund_id === null)
      return (await this.cancellation.sendRefund(donation, refund)).status;
    const provider = this.providers.ofDonation(refund.provider);
    const fact = await provider.readRefund(refund.provider_refund_id, { paymentId: refund.payment_id });
    await this.facts.book(provider, [fact]);
    return fact.status;
  }

  /** One failure must not keep the others from being healed; it becomes a review item. */
  private async guarded(
    findings: ReconciliationFinding[],
    what: ReconciliationFinding['what'],
    id: string,
    work: () => Promise<void>,
  ): Promise<void> {
    const subject = `${what}:${id}`;
    try {
      await work();
      await settleReviewItem(this.database, 'reconciliation', subject);
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      findings.push({ what, id, found, result: 'needs a person' });
      await raiseReviewItem(this.database, {
        kind: 'reconciliation',
        subject,
        donationId: what === 'donation' ? id : null,
        detail: { problem: found },
      });
    }
  }
}
