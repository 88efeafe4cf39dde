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

/** Donors who come back from a wallet's page: what they approved there is captured now. */
@Injectable()
export class CapturesService {
  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly approved: ApprovedPayments,
  ) {}

  /**
   * Where paying is one step, there is nothing to capture: the provider is asked whether it was paid. Public: says
   * nothing but id and status.
   * @throws NotFoundError (404) an order of no provider here, ConflictError (409) its donation was cancelled,
   *   ProviderRefusedError (409) it is not approved, UnavailableError (503) the provider is off or away.
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

  /** An order's id does not say which wallet provider made it. */
  private async find(orderId: string): Promise<{ provider: PaymentProvider; donation: DonationRow }> {
    for (const provider of this.providers.ofType('wallet')) {
      const donation = await donationByPayment(this.database, provider.name, orderId);
      if (donation) return { provider, donation };
    }
    throw new NotFoundError('ORDER_NOT_FOUND', 'No such order');
  }
}
