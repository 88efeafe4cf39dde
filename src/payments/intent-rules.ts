import { Injectable } from '@nestjs/common';
import { ConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { visibleTo } from '../events/event-visibility.js';
import type { EventRecord } from '../events/event-record.js';
import { SettingsService } from '../settings/settings.service.js';
import type { CreateIntentDto } from './dto/intent.dto.js';
import type { PaymentProvider } from './payment-provider.js';

/** What was asked for, found acceptable. */
export interface AcceptedIntent {
  readonly amount: bigint;
  readonly currency: string;
  /** Whether messages wait for approval. */
  readonly holdsMessages: boolean;
}

/** What an event takes online. */
@Injectable()
export class IntentRules {
  constructor(
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
  ) {}

  /** @throws NotFoundError (404) */
  async namedEvent(ref: string): Promise<EventRecord> {
    return await this.events.get(ref);
  }

  /** @throws NotFoundError (404) for what the public cannot see, ConflictError (409) outside opening hours. */
  assertPayable(event: EventRecord): void {
    const { status } = visibleTo(undefined, event);
    if (status !== 'active') throw new ConflictError('EVENT_TAKES_NO_DONATIONS', `The event is ${status}`);
  }

  /** @throws InvalidInputError (400) an amount or currency that the event or the provider does not take. */
  async accept(
    provider: PaymentProvider,
    event: EventRecord,
    sent: CreateIntentDto,
  ): Promise<AcceptedIntent> {
    const settings = await this.settings.effective(event.overrides);
    const amount = BigInt(sent.amount);
    const currency = sent.currency ?? event.currency;
    const accepted = settings.payment.acceptedCurrencies;
    if (accepted && !accepted.includes(currency))
      throw new InvalidInputError('CURRENCY_NOT_ACCEPTED', `currency must be one of ${accepted.join(', ')}`);
    // The bounds are amounts of the event's currency; in another one they would mean nothing.
    if (currency === event.currency) {
      const { minAmount, maxAmount } = settings.donation;
      if (sent.amount < minAmount)
        throw new InvalidInputError('AMOUNT_TOO_SMALL', `amount must be at least ${minAmount}`);
      if (maxAmount !== null && sent.amount > maxAmount)
        throw new InvalidInputError('AMOUNT_TOO_LARGE', `amount must be at most ${maxAmount}`);
    }
    provider.assertTakes(amount, currency);
    return { amount, currency, holdsMessages: settings.live.moderate === 'messages' };
  }
}
