import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { AttentionService } from './attention.service.js';
import { BookingService } from './booking.service.js';
import { CancellationService } from './cancellation.service.js';
import { CorrectionsService } from './corrections.service.js';
import { DonationListService } from './donation-list.service.js';
import { DonationsController } from './donations.controller.js';
import { GiftRecorder } from './gift-recorder.js';
import { IntentBudget } from './payments/intent-budget.js';
import { IntentsService } from './payments/intents.service.js';
import { PaymentsController } from './payments/payments.controller.js';
import { PaymentProviders } from './payments/providers.js';
import { SettlementService } from './payments/settlement.service.js';
import { WalletReturnController } from './payments/wallet-return.controller.js';
import { WalletReturnService } from './payments/wallet-return.service.js';
import { WebhooksService } from './payments/webhooks.service.js';
import { ReconciliationService } from './reconciliation.service.js';
import { RecordingService } from './recording.service.js';

@Module({
  imports: [EventsModule, SettingsModule],
  // Payments first: `intent` and `wallet/…` must not be taken for an id.
  controllers: [PaymentsController, WalletReturnController, DonationsController],
  providers: [
    AttentionService,
    BookingService,
    CancellationService,
    CorrectionsService,
    DonationListService,
    GiftRecorder,
    IntentBudget,
    IntentsService,
    PaymentProviders,
    ReconciliationService,
    RecordingService,
    SettlementService,
    WalletReturnService,
    WebhooksService,
  ],
  exports: [DonationListService, ReconciliationService],
})
export class DonationsModule {}
