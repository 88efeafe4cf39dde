import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { EventsModule } from '../events/events.module.js';
import { GuestsModule } from '../guests/guests.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { PrintsController } from './prints.controller.js';
import { Prints } from './prints.service.js';

/** Posters and table cards with the code of the donate page, and guest lists on paper. */
@Module({
  imports: [DocumentsModule, EventsModule, GuestsModule, ReceiptsModule, SettingsModule],
  controllers: [PrintsController],
  providers: [Prints],
})
export class PrintsModule {}
