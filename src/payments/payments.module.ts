import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationService } from './cancellation.service.js';
import { PaymentFacts } from './facts.service.js';
import { IntentBudget } from './intent-budget.js';
import { IntentsService } from './intents.service.js';
import { PaymentsController } from './payments.controller.js';
import { PaymentProviders } from './providers.js';
import { ReconciliationService } from './reconciliation.service.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [DonationsModule, EventsModule, SettingsModule],
  controllers: [PaymentsController, CancellationController],
  providers: [
    CancellationService,
    IntentBudget,
    IntentsService,
    PaymentFacts,
    PaymentProviders,
    ReconciliationService,
    WebhooksService,
  ],
  exports: [IntentsService, ReconciliationService],
})
export class PaymentsModule {}
