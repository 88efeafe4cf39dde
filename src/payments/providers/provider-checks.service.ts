import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { DomainError, NotFoundError } from '../../common/errors/domain-errors.js';
import { newId } from '../../common/crypto/ids.js';
import { currencyExponent } from '../../common/money/money.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { ProviderCheckDto } from './dto/provider-check.dto.js';
import { PaymentProviders } from './payment-providers.js';
import { ProviderHealth, typesOf } from './provider-health.js';
import { WebhookSubscriptions } from './webhook-subscriptions.service.js';

/** Checks if a payment provider works. Admins use it before an event. */
@Injectable()
export class ProviderChecks {
  constructor(
    private readonly subscriptions: WebhookSubscriptions,
    private readonly providers: PaymentProviders,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
    private readonly health: ProviderHealth,
  ) {}

  /**
   * Creates a payment at the provider and cancels it. No donor can pay this payment. The payment has no donation, so
   * it is never booked.
   * @throws NotFoundError `PROVIDER_NOT_FOUND`
   */
  async check(caller: Principal, name: string): Promise<ProviderCheckDto> {
    if (!this.providers.knows(name))
      throw new NotFoundError('PROVIDER_NOT_FOUND', 'There is no such payment provider');
    await this.audit.record(actorOf(caller), 'provider.check', name);
    const tried = await this.tried(name);
    const health = (await this.health.all()).get(name);
    return {
      provider: name,
      ...tried,
      lastWebhookAt: health?.last_webhook_at?.toISOString() ?? null,
      webhookProblem: health?.webhook_problem ?? null,
      unsubscribedTypes: typesOf(health),
    };
  }

  private async tried(name: string): Promise<Pick<ProviderCheckDto, 'ok' | 'detail'>> {
    try {
      const detail = await this.tryOut(name);
      await this.subscriptions.read(this.providers.named(name));
      return { ok: true, detail };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { ok: false, detail: error.message };
    }
  }

  private async tryOut(name: string): Promise<string> {
    const provider = this.providers.named(name);
    const { payment, donation } = await this.settings.global();
    const { currency } = payment;
    const usual = Math.max(donation.minAmount, USUAL * 10 ** currencyExponent(currency));
    const step = provider.stepOf?.(currency) ?? 1;
    const amount = BigInt(Math.ceil(usual / step) * step);
    provider.assertTakes(amount, currency);
    const { paymentId } = await provider.createPayment({
      donationId: newId(),
      eventId: newId(),
      eventName: 'Check of the settings',
      amount,
      currency,
    });
    await provider.cancelPayment(paymentId);
    return 'A payment was made at the provider and cancelled again';
  }
}

/**
 * Amount of the test payment in whole units. It is above the minimum of every usual currency, such as 175 forint or
 * 50 yen.
 */
const USUAL = 1_000;
