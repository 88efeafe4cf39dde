import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { ApprovedPayments } from './approved-payments.service.js';
import { AssignmentController } from './assignment.controller.js';
import { AssignmentService } from './assignment.service.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationService } from './cancellation.service.js';
import { CapturesService } from './captures.service.js';
import { Challenge } from './challenge.js';
import { PaymentFacts } from './facts.service.js';
import { IntentBudget } from './intent-budget.js';
import { IntentRules } from './intent-rules.js';
import { IntentsService } from './intents.service.js';
import { OwnDonationsController } from './own-donations.controller.js';
import { OwnDonations } from './own-donations.service.js';
import { ProviderQuestions } from './provider-questions.js';
import { PaymentMethodsController } from './payment-methods.controller.js';
import { PaymentHomes } from './payment-homes.service.js';
import { PayoutReading } from './payout-reading.service.js';
import { PayoutsController } from './payouts.controller.js';
import { Payouts } from './payouts.service.js';
import { PaymentsController } from './payments.controller.js';
import { ProviderChecksController } from './provider-checks.controller.js';
import { ProviderChecks } from './provider-checks.service.js';
import { PROVIDER_DEFINITIONS, type ProviderDefinition } from './provider-definition.js';
import { ProviderHealth, PaymentProviders } from './providers.js';
import { CONFIGURED_PROVIDERS, configuredProviders } from './configured-providers.js';
import { DonationReconciliation } from './reconciliation-donations.service.js';
import { ReconciliationFailures } from './reconciliation-failures.js';
import { MessageReconciliation } from './reconciliation-messages.service.js';
import { RefundReconciliation } from './reconciliation-refunds.service.js';
import { ReconciliationSteps } from './reconciliation-steps.js';
import { WalkReconciliation } from './reconciliation-walk.service.js';
import { ReconciliationService } from './reconciliation.service.js';
import { WebhookSubscriptions } from './webhook-subscriptions.service.js';
import { webhookControllerOf } from './webhook-controller.js';
import { WebhooksService } from './webhooks.service.js';

const SERVICES = [
  ApprovedPayments,
  AssignmentService,
  CancellationService,
  CapturesService,
  Challenge,
  IntentBudget,
  IntentRules,
  IntentsService,
  OwnDonations,
  ProviderQuestions,
  PaymentFacts,
  PaymentHomes,
  PayoutReading,
  Payouts,
  PaymentProviders,
  ProviderHealth,
  ProviderChecks,
  DonationReconciliation,
  MessageReconciliation,
  ReconciliationFailures,
  ReconciliationService,
  ReconciliationSteps,
  RefundReconciliation,
  WalkReconciliation,
  WebhookSubscriptions,
  WebhooksService,
];

/** Global because it is made once, with its list of providers; other modules do not know that list. */
@Global()
@Module({})
export class PaymentsModule {
  static forRoot(providers: readonly ProviderDefinition[]): DynamicModule {
    return {
      module: PaymentsModule,
      imports: [DonationsModule, EventsModule, SettingsModule],
      controllers: [
        PaymentsController,
        PaymentMethodsController,
        OwnDonationsController,
        ...providers.map(webhookControllerOf),
        CancellationController,
        AssignmentController,
        PayoutsController,
        ProviderChecksController,
      ],
      providers: [
        { provide: PROVIDER_DEFINITIONS, useValue: providers },
        {
          provide: CONFIGURED_PROVIDERS,
          inject: [PROVIDER_DEFINITIONS, AppConfig],
          useFactory: configuredProviders,
        },
        ...SERVICES,
      ],
      exports: [
        CapturesService,
        IntentsService,
        OwnDonations,
        PaymentProviders,
        Payouts,
        ProviderHealth,
        ReconciliationService,
      ],
    };
  }
}
