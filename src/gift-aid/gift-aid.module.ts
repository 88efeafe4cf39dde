import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { GiftAidDeclarations } from './declarations.service.js';
import { GiftAidController } from './gift-aid.controller.js';
import { GiftAidExport } from './gift-aid-export.service.js';
import { LegalHold } from './legal-hold.service.js';

/** Gift Aid of the United Kingdom: declarations, their cancellation, their export, and their keeping after an erasure. */
@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, SettingsModule],
  controllers: [GiftAidController],
  providers: [GiftAidDeclarations, GiftAidExport, LegalHold],
  exports: [LegalHold],
})
export class GiftAidModule {}
