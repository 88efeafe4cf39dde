import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { BookingService } from './booking.service.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationService } from './cancellation.service.js';
import { IntentBudget } from './intent-budget.js';
import { IntentsService } from './intents.service.js';
import { PaymentsController } from './payments.controller.js';
import { PaymentProviders } from './providers.js';
import { ReconciliationService } from './reconciliation.service.js';
import { SettlementService } from './settlement.service.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [EventsModule, SettingsModule],
  controllers: [PaymentsController, CancellationController],
  providers: [
    BookingService,
    CancellationService,
    IntentBudget,
    IntentsService,
    PaymentProviders,
    ReconciliationService,
    SettlementService,
    WebhooksService,
  ],
  exports: [IntentsService, ReconciliationService],
})
export class PaymentsModule {}
