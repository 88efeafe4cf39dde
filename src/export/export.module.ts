import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExplainModule } from '../explain/explain.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { AuditExportController } from './audit-export.controller.js';
import { AuditDownload } from './csv/audit-download.service.js';
import { DonationsCsv } from './csv/donations-csv.service.js';
import { DonationsDownload } from './csv/donations-download.service.js';
import { DonationsExportController } from './donations-export.controller.js';
import { ExportSlots } from './export-slots.js';
import { ReceiptArchive } from './receipts/receipt-archive.service.js';
import { ReceiptDownloads } from './receipts/receipt-downloads.service.js';
import { ReceiptEmails, ReceiptEmailWriter } from './receipts/receipt-emails.service.js';
import { ReceiptFiles } from './receipts/receipt-files.service.js';
import { ReceiptIssuers } from './receipts/receipt-issuers.service.js';
import { ReceiptLogo } from './receipts/receipt-logo.js';
import { ReceiptNumbers } from './receipts/receipt-numbers.service.js';
import { ReceiptsService } from './receipts/receipts.service.js';
import { OwnReceiptController } from './own-receipt.controller.js';
import { ReceiptEmailsController } from './receipt-emails.controller.js';
import { ReceiptsController } from './receipts.controller.js';
import { SummaryController } from './summary.controller.js';
import { SummaryDownloads } from './summary/summary-downloads.service.js';
import { SummaryService } from './summary/summary.service.js';
import { ExportThread } from './thread/export-thread.js';

/** Receipts, and donations as files. */
@Module({
  imports: [DonationsModule, EventsModule, ExplainModule, PledgesModule, SettingsModule],
  controllers: [
    ReceiptEmailsController,
    ReceiptsController,
    OwnReceiptController,
    DonationsExportController,
    AuditExportController,
    SummaryController,
  ],
  providers: [
    AuditDownload,
    DonationsCsv,
    DonationsDownload,
    ExportSlots,
    ExportThread,
    ReceiptArchive,
    ReceiptDownloads,
    ReceiptEmails,
    ReceiptEmailWriter,
    ReceiptFiles,
    ReceiptIssuers,
    ReceiptLogo,
    ReceiptNumbers,
    ReceiptsService,
    SummaryDownloads,
    SummaryService,
  ],
  exports: [ExportThread, ReceiptIssuers],
})
export class ExportModule {}
