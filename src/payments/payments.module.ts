import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { OwnMatchesModule } from '../match/own-matches.module.js';
import { TransferReferencesModule } from '../transfers/transfer-references.module.js';
import { ApprovedPayments } from './booking/approved-payments.service.js';
import { AssignmentController } from './booking/assignment.controller.js';
import { AssignmentService } from './booking/assignment.service.js';
import { CancellationController, OwnCancellationController } from './refunds/cancellation.controller.js';
import { CancellationService } from './refunds/cancellation.service.js';
import { CapturesService } from './intents/captures.service.js';
import { Challenge } from './intents/challenge.js';
import { FactBooking } from './booking/fact-booking.js';
import { PaymentFacts } from './booking/facts.service.js';
import { IntentBudget } from './intents/intent-budget.js';
import { IntentRules } from './intents/intent-rules.js';
import { IntentsService } from './intents/intents.service.js';
import { OwnDonations } from './intents/own-donations.service.js';
import { OwnEmail } from './intents/own-email.service.js';
import { ProviderQuestions } from './intents/provider-questions.js';
import { TransferIntents } from './intents/transfer-intents.service.js';
import { PaidMethods } from './booking/paid-methods.service.js';
import { PaymentHomes } from './booking/payment-homes.service.js';
import { PayoutReading } from './reconciliation/payout-reading.service.js';
import { Balances } from './payouts/balances.service.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { Payouts } from './payouts/payouts.service.js';
import {
  PaymentsController,
  OwnDonationsController,
  PaymentMethodsController,
} from './intents/payments.controller.js';
import { ProviderChecksController } from './providers/provider-checks.controller.js';
import { ProviderChecks } from './providers/provider-checks.service.js';
import { PROVIDER_DEFINITIONS, type ProviderDefinition } from './providers/provider-definition.js';
import { PaymentProviders } from './providers/payment-providers.js';
import { ProviderHealth } from './providers/provider-health.js';
import { CONFIGURED_PROVIDERS, configuredProviders } from './providers/configured-providers.js';
import { DonationReconciliation } from './reconciliation/reconciliation-donations.service.js';
import { MethodReading } from './reconciliation/method-reading.service.js';
import { ReconciliationFailures } from './reconciliation/reconciliation-failures.js';
import { MessageReconciliation } from './reconciliation/reconciliation-messages.service.js';
import { RefundReconciliation } from './reconciliation/reconciliation-refunds.service.js';
import { ReconciliationSteps } from './reconciliation/reconciliation-steps.js';
import { WalkReconciliation } from './reconciliation/reconciliation-walk.service.js';
import { ReconciliationService } from './reconciliation/reconciliation.service.js';
import { WebhookSubscriptions } from './providers/webhook-subscriptions.service.js';
import { webhookControllerOf } from './booking/webhook-controller.js';
import { WebhooksService } from './booking/webhooks.service.js';

const SERVICES = [
  ApprovedPayments,
  Balances,
  AssignmentService,
  CancellationService,
  CapturesService,
  Challenge,
  IntentBudget,
  IntentRules,
  IntentsService,
  OwnDonations,
  OwnEmail,
  ProviderQuestions,
  TransferIntents,
  FactBooking,
  PaymentFacts,
  PaidMethods,
  PaymentHomes,
  PayoutReading,
  Payouts,
  PaymentProviders,
  ProviderHealth,
  ProviderChecks,
  DonationReconciliation,
  MessageReconciliation,
  MethodReading,
  ReconciliationFailures,
  ReconciliationService,
  ReconciliationSteps,
  RefundReconciliation,
  WalkReconciliation,
  WebhookSubscriptions,
  WebhooksService,
];

/**
 * This module is global, because the root module creates it once with the list of providers. Other modules do not
 * know this list.
 */
@Global()
@Module({})
export class PaymentsModule {
  static forRoot(providers: readonly ProviderDefinition[]): DynamicModule {
    return {
      module: PaymentsModule,
      imports: [DonationsModule, EventsModule, SettingsModule, TransferReferencesModule, OwnMatchesModule],
      controllers: [
        PaymentsController,
        PaymentMethodsController,
        OwnDonationsController,
        ...providers.map(webhookControllerOf),
        CancellationController,
        OwnCancellationController,
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
        CancellationService,
        CapturesService,
        IntentsService,
        OwnDonations,
        OwnEmail,
        PaidMethods,
        PaymentFacts,
        PaymentProviders,
        Payouts,
        PROVIDER_DEFINITIONS,
        ProviderHealth,
        ReconciliationService,
      ],
    };
  }
}
