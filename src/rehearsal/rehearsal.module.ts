import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { HealthModule } from '../health/health.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { EveningPlayer } from './play/evening-player.js';
import { PlayController } from './play/play.controller.js';
import { Plays } from './play/plays.service.js';
import { RealEvening } from './play/real-evening.js';
import { RehearsalEndings } from './rehearsal-endings.service.js';
import { RehearsalController } from './rehearsal.controller.js';
import { Rehearsals } from './rehearsals.service.js';
import { RehearsalReportController } from './report/report.controller.js';
import { RehearsalReports } from './report/reports.service.js';

/** Rehearsals of events: twins that leave nothing behind. */
@Module({
  imports: [
    AuthModule,
    DocumentsModule,
    DonationsModule,
    EventsModule,
    GatewayModule,
    HealthModule,
    MailModule,
    PledgesModule,
  ],
  controllers: [RehearsalController, PlayController, RehearsalReportController],
  providers: [EveningPlayer, Plays, RealEvening, RehearsalEndings, RehearsalReports, Rehearsals],
})
export class RehearsalModule {}
