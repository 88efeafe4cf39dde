import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { EventsModule } from '../events/events.module.js';
import { GuestsModule } from '../guests/guests.module.js';
import { ImportFiles } from './import-file.service.js';
import { ImportRetention } from './import-retention.js';
import { ImportRunner } from './import-runner.service.js';
import { ImportUndo } from './import-undo.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';

/** Uploaded lists: columns, check, import, undo. */
@Module({
  imports: [DocumentsModule, EventsModule, GuestsModule],
  controllers: [ImportsController],
  providers: [ImportFiles, ImportRetention, ImportRunner, ImportsService, ImportUndo],
})
export class ImportsModule {}
