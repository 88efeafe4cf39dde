import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationService } from './cancellation.service.js';
import { CapturesService } from './captures.service.js';
import { PaymentFacts } from './facts.service.js';
import { IntentBudget } from './intent-budget.js';
import { IntentRules } from './intent-rules.js';
import { IntentsService } from './intents.service.js';
import { OwnDonationsController } from './own-donations.controller.js';
import { OwnDonations } from './own-donations.service.js';
import { PaymentMethodsController } from './payment-methods.controller.js';
import { PaymentsController } from './payments.controller.js';
import { PROVIDER_DEFINITIONS, type ProviderDefinition } from './provider-definition.js';
import { PaymentProviders } from './providers.js';
import { ReconciliationService } from './reconciliation.service.js';
import { webhookControllerOf } from './webhook-controller.js';
import { WebhooksService } from './webhooks.service.js';

const SERVICES = [
  CancellationService,
  CapturesService,
  IntentBudget,
  IntentRules,
  IntentsService,
  OwnDonations,
  PaymentFacts,
  PaymentProviders,
  ReconciliationService,
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
      ],
      providers: [{ provide: PROVIDER_DEFINITIONS, useValue: providers }, ...SERVICES],
      exports: [CapturesService, IntentsService, OwnDonations, PaymentProviders, ReconciliationService],
    };
  }
}
