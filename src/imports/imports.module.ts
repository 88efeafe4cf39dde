import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { GuestsModule } from '../guests/guests.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { ImportFiles } from './import-file.service.js';
import { ImportRetention } from './import-retention.js';
import { ImportRunner } from './import-runner.service.js';
import { ImportUndo } from './import-undo.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';
import { DonationKinds } from './kinds/donation-kind.service.js';
import { GuestKind } from './kinds/guest-kind.service.js';
import { ImportKinds } from './kinds/import-kinds.service.js';

/** Uploaded lists: columns, check, import, undo. */
@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, GuestsModule, SettingsModule],
  controllers: [ImportsController],
  providers: [
    DonationKinds,
    GuestKind,
    ImportFiles,
    ImportKinds,
    ImportRetention,
    ImportRunner,
    ImportsService,
    ImportUndo,
  ],
})
export class ImportsModule {}
