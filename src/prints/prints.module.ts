import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { EventsModule } from '../events/events.module.js';
import { GuestsModule } from '../guests/guests.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { PledgeLettersController } from './pledge-letters.controller.js';
import { PledgeLetters } from './pledge-letters.service.js';
import { PrintsController } from './prints.controller.js';
import { Prints } from './prints.service.js';

/** Posters and table cards with the code of the donate page, guest lists, and letters about pledges. */
@Module({
  imports: [DocumentsModule, EventsModule, GuestsModule, PledgesModule, ReceiptsModule, SettingsModule],
  controllers: [PledgeLettersController, PrintsController],
  providers: [PledgeLetters, Prints],
})
export class PrintsModule {}
