import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { EventsModule } from '../events/events.module.js';
import { GuestsModule } from '../guests/guests.module.js';
import { MatchModule } from '../match/match.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { MatchLettersController } from './match-letters.controller.js';
import { MatchLetters } from './match-letters.service.js';
import { PledgeLettersController } from './pledge-letters.controller.js';
import { PledgeLetters } from './pledge-letters.service.js';
import { PrintLooks } from './print-looks.service.js';
import { PrintsController } from './prints.controller.js';
import { Prints } from './prints.service.js';
import { TeamCodes } from './team-codes.service.js';

/** Posters, table cards and codes of teams for the donate page, guest lists, and letters about pledges and match pools. */
@Module({
  imports: [
    DocumentsModule,
    EventsModule,
    GuestsModule,
    MatchModule,
    PledgesModule,
    ReceiptsModule,
    SettingsModule,
    TeamsModule,
  ],
  controllers: [MatchLettersController, PledgeLettersController, PrintsController],
  providers: [MatchLetters, PledgeLetters, PrintLooks, Prints, TeamCodes],
})
export class PrintsModule {}
