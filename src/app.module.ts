import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CommonModule } from './common/common.module.js';
import { UnknownRouteModule } from './server/unknown-route.module.js';
import type { AppConfig } from './config/app-config.js';
import { ChangesModule } from './changes/changes.module.js';
import { ConfigModule } from './config/config.module.js';
import { DataModule } from './data/data.module.js';
import { DonationsModule } from './donations/donations.module.js';
import { ImagesModule } from './images/images.module.js';
import { MailModule } from './mail/mail.module.js';
import { ModerationModule } from './donations/moderation/moderation.module.js';
import { DonorsModule } from './donors/donors.module.js';
import { EventsModule } from './events/events.module.js';
import { ExportModule } from './export/export.module.js';
import { FloorModule } from './floor/floor.module.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { HealthModule } from './health/health.module.js';
import { MilestonesModule } from './milestones/milestones.module.js';
import { OutboxModule } from './outbox/outbox.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import type { ProviderDefinition } from './payments/providers/provider-definition.js';
import { ReceiptsModule } from './receipts/receipts.module.js';
import { RehearsalModule } from './rehearsal/rehearsal.module.js';
import { ReportingModule } from './reporting/reporting.module.js';
import { RedisModule } from './redis/redis.module.js';
import { AuditModule } from './audit/audit.module.js';
import { UsersModule } from './users/users.module.js';
import { StaffModule } from './staff/staff.module.js';
import { TerminalsModule } from './terminals/terminals.module.js';
import { ShiftsModule } from './shifts/shifts.module.js';
import { GiftAidModule } from './gift-aid/gift-aid.module.js';
import { TeamsModule } from './teams/teams.module.js';
import { GuestsModule } from './guests/guests.module.js';
import { PrintsModule } from './prints/prints.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { PledgesModule } from './pledges/pledges.module.js';
import { MatchModule } from './match/match.module.js';
import { TransfersModule } from './transfers/transfers.module.js';
import { TributesModule } from './tributes/tributes.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { SettingsModule } from './settings/settings.module.js';

/** The only file that imports every module. */
@Module({})
export class AppModule {
  static forRoot(config: AppConfig, providers: readonly ProviderDefinition[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        ScheduleModule.forRoot({ cronJobs: config.schedules, intervals: config.schedules }),
        CommonModule,
        DataModule,
        SecretsModule,
        // Express tries the routes in order, so the routes with the most simultaneous calls at a venue come
        // early. Payments and reports come before donations. Otherwise, a donation route would read `intent`,
        // `wallet/…` and `attention` as an id.
        SettingsModule,
        EventsModule,
        PaymentsModule.forRoot(providers),
        ReportingModule,
        DonationsModule,
        RedisModule,
        AuditModule,
        OutboxModule,
        GatewayModule,
        ModerationModule,
        ChangesModule,
        HealthModule,
        AuthModule,
        ApiKeysModule,
        UsersModule,
        StaffModule,
        TerminalsModule,
        ShiftsModule,
        GuestsModule,
        TeamsModule,
        GiftAidModule,
        ImportsModule,
        PrintsModule,
        PledgesModule,
        MilestonesModule,
        FloorModule,
        RehearsalModule,
        TransfersModule,
        MatchModule,
        TributesModule,
        WebhooksModule,
        PagesModule,
        ReceiptsModule,
        ExportModule,
        MailModule,
        DonorsModule,
        ImagesModule,
        // Keep it last: it handles every path that no module above handles.
        UnknownRouteModule,
      ],
    };
  }
}
