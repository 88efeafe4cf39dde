import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { AuditDownload } from './audit-download.service.js';
import { AuditExportController } from './audit-export.controller.js';
import { DonationsCsv } from './donations-csv.service.js';
import { DonationsDownload } from './donations-download.service.js';
import { DonationsSheet } from './donations-sheet.service.js';
import { DonationsExportController } from './donations-export.controller.js';
import { SystemFiles } from './systems/system-files.service.js';

/** Donations as spreadsheets, CSV files and files for other systems, and the audit trail as CSV. */
@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, SettingsModule],
  controllers: [DonationsExportController, AuditExportController],
  providers: [AuditDownload, DonationsCsv, DonationsDownload, DonationsSheet, SystemFiles],
})
export class ExportModule {}
