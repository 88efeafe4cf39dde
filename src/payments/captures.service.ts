import { Injectable } from '@nestjs/common';
import { ConflictError, NotFoundError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import type { DonationRow } from '../donations/donation-row.js';
import { donationById, donationByPayment } from '../donations/donations.sql.js';
import type { CaptureDto } from './dto/intent.dto.js';
import { type CapturingProvider, PaymentProviders } from './providers.js';
import { SettlementService } from './settlement.service.js';

/** Takes the money of payments that donors approved, when their page or their browser says so. */
@Injectable()
export class CapturesService {
  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly settlement: SettlementService,
  ) {}

  /**
   * Public: says nothing but id and status.
   * @throws NotFoundError (404) an order of no provider here, ConflictError (409) its donation was cancelled,
   *   ProviderRefusedError (409) it is not approved, UnavailableError (503) the provider is off or away.
   */
  async capture(orderId: string): Promise<CaptureDto> {
    const { provider, donation } = await this.find(orderId);
    if (donation.status === 'CANCELLED')
      throw new ConflictError('DONATION_CANCELLED', 'This donation was cancelled');
    if (donation.paid_at === null)
      await this.settlement.settle(provider, await provider.capturePayment(orderId));
    const now = await donationById(this.database, donation.id);
    return { donationId: donation.id, status: now?.status ?? donation.status };
  }

  /** The order's id alone says neither which provider made it nor that it is ours. */
  private async find(orderId: string): Promise<{ provider: CapturingProvider; donation: DonationRow }> {
    for (const provider of this.providers.withCapture()) {
      const donation = await donationByPayment(this.database, provider.name, orderId);
      if (donation) return { provider, donation };
    }
    throw new NotFoundError('ORDER_NOT_FOUND', 'No such order');
  }
}
