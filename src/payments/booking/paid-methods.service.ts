import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import { Database } from '../../data/database.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import { donationById, lockDonation } from '../../donations/store/donation-store.js';
import { MissingRightError, ProviderRefusedError } from '../providers/provider-errors.js';
import type { PaidMethod, PaymentProvider } from '../providers/provider-port.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { actorOfFact } from './payment-homes.service.js';

/** Maximum time that a receipt waits for the method. */
const WAIT_MS = 3_000;
/** After a failed request, receipts are issued for this time without a request to the provider. */
const PAUSE_MS = 60_000;

/**
 * Reads the method of paid donations from their providers. Most webhook events contain only the id of the charge, so a
 * donation that was booked from an event has no method.
 */
@Injectable()
export class PaidMethods {
  private readonly logger = new Logger(PaidMethods.name);
  private pausedUntil = 0;

  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly changes: DonationChanges,
  ) {}

  /**
   * Reads the method of a payment and stores it. A known method is not replaced.
   * @throws ProviderRefusedError, ProviderUnavailableError
   */
  async read(provider: PaymentProvider, donationId: string, paymentId: string): Promise<void> {
    const paid = await provider.readMethod?.(paymentId);
    if (paid) await this.store(provider.name, donationId, paid);
  }

  /**
   * Reads the method before a receipt is issued, because a receipt never changes. A receipt without a method is better than
   * no receipt, so this method throws no error and waits only for a short time.
   */
  async readBeforeReceipt(donationId: string): Promise<void> {
    if (Date.now() < this.pausedUntil) return;
    const donation = await donationById(this.database, donationId);
    const { provider: name = null, payment_id: paymentId = null, paid_at: paidAt, method } = donation ?? {};
    if (name === null || paymentId === null || !paidAt || method !== null) return;
    const provider = this.providers.all.find((one) => one.name === name);
    if (!provider) return;
    const end = new AbortController();
    const reading = this.read(provider, donationId, paymentId)
      .catch((error: unknown) => {
        const isAnswer = error instanceof ProviderRefusedError && !(error instanceof MissingRightError);
        this.failed(error instanceof Error ? error.message : String(error), isAnswer ? 0 : PAUSE_MS);
      })
      .finally(() => {
        end.abort();
      });
    const late = wait(WAIT_MS, true, { signal: end.signal, ref: false }).catch(() => false);
    const isLate = await Promise.race([reading.then(() => false), late]);
    if (isLate) this.failed(`no answer within ${WAIT_MS} ms`, PAUSE_MS);
  }

  private failed(problem: string, pauseMs: number): void {
    this.pausedUntil = Date.now() + pauseMs;
    this.logger.warn({ msg: 'Reading a payment method failed', problem });
  }

  private async store(provider: string, donationId: string, paid: PaidMethod): Promise<void> {
    await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, donationId);
      if (donation?.method !== null) return;
      this.changes.apply(tx, donation, {
        fact: { kind: 'edited' },
        columns: { method: paid.method, wallet: paid.wallet ?? null },
        actor: actorOfFact({ provider, webhookEventId: null }),
      });
    });
  }
}
