import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { DomainError, NotFoundError } from '../common/errors/domain-errors.js';
import { newId } from '../common/ids.js';
import { currencyExponent } from '../common/money.js';
import { Database } from '../data/database.js';
import { SettingsService } from '../settings/settings.service.js';
import type { ProviderCheckDto } from './dto/provider-check.dto.js';
import { ProviderHealth, PaymentProviders } from './providers.js';
import { LAST_HEARD } from './webhook-events.sql.js';

/** Whether a payment provider can be used: asked before the evening, not in it. */
@Injectable()
export class ProviderChecks {
  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
    private readonly health: ProviderHealth,
  ) {}

  /**
   * Makes a payment at the provider that nobody can pay, and cancels it again. It belongs to no donation, so
   * nothing of it gets into the books.
   * @throws NotFoundError `PROVIDER_NOT_FOUND`
   */
  async check(caller: Principal, name: string): Promise<ProviderCheckDto> {
    if (!this.providers.knows(name))
      throw new NotFoundError('PROVIDER_NOT_FOUND', 'No such payment provider');
    await this.audit.record(actorOf(caller), 'provider.check', name);
    const [heard] = await this.database.query<{ received_at: Date }>(LAST_HEARD, [name]);
    const webhooks = {
      lastWebhookAt: heard?.received_at.toISOString() ?? null,
      webhookProblem: (await this.health.all()).get(name)?.webhook_problem ?? null,
    };
    try {
      return { provider: name, ok: true, detail: await this.tryOut(name), ...webhooks };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { provider: name, ok: false, detail: error.message, ...webhooks };
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

/** So much in whole units is more than the least that a provider takes of any usual currency: 175 forint, 50 yen. */
const USUAL = 1_000;
