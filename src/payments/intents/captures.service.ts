import { Injectable } from '@nestjs/common';
import { ConflictError, NotFoundError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationById, donationByPayment } from '../../donations/store/donation-store.js';
import type { CaptureDto } from './dto/intent.dto.js';
import { PaymentFacts } from '../booking/facts.service.js';
import { ApprovedPayments } from '../booking/approved-payments.service.js';
import type { PaymentFact, PaymentProvider } from '../providers/provider-port.js';
import { MissingRightError } from '../providers/provider-errors.js';
import { PaymentProviders } from '../providers/payment-providers.js';

/** Captures the approved payment of a donor who returns from a wallet's page. */
@Injectable()
export class CapturesService {
  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly approved: ApprovedPayments,
  ) {}

  /**
   * Captures the order. If the provider has no capture step, only reads the payment state from the provider. The
   * route is public, so it returns only the donation id and status.
   * @throws NotFoundError (404) if no provider has the order, ConflictError (409) if the donation was cancelled,
   *   ProviderRefusedError (409) if the donor has not approved it, UnavailableError (503) if the provider is off or
   *   unavailable.
   */
  async capture(orderId: string): Promise<CaptureDto> {
    const { provider, donation } = await this.find(orderId);
    if (donation.status === 'CANCELLED')
      throw new ConflictError('DONATION_CANCELLED', 'This donation was cancelled');
    if (donation.paid_at === null) await this.facts.book(provider, await this.taken(provider, orderId));
    const now = await donationById(this.database, donation.id);
    return { donationId: donation.id, status: now?.status ?? donation.status };
  }

  private async taken(provider: PaymentProvider, orderId: string): Promise<PaymentFact[]> {
    try {
      return await this.approved.take(provider, orderId);
    } catch (error) {
      throw error instanceof MissingRightError ? error.withoutRight() : error;
    }
  }

  /**
   * Finds the donation of an order in the database. Tries every wallet provider, because an order id does not contain
   * the provider.
   */
  private async find(orderId: string): Promise<{ provider: PaymentProvider; donation: DonationRow }> {
    for (const provider of this.providers.ofType('wallet')) {
      const donation = await donationByPayment(this.database, provider.name, orderId);
      if (donation) return { provider, donation };
    }
    throw new NotFoundError('ORDER_NOT_FOUND', 'There is no such order');
  }
}
