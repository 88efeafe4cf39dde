import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { DonationsCsv } from './csv/donations-csv.service.js';
import { DonationsDownload } from './csv/donations-download.service.js';
import { DonationsExportController } from './donations-export.controller.js';
import { ExportSlots } from './export-slots.js';
import { ReceiptArchive } from './receipts/receipt-archive.service.js';
import { ReceiptDownloads } from './receipts/receipt-downloads.service.js';
import { ReceiptIssuers } from './receipts/receipt-issuers.service.js';
import { ReceiptLogo } from './receipts/receipt-logo.js';
import { ReceiptNumbers } from './receipts/receipt-numbers.service.js';
import { ReceiptsService } from './receipts/receipts.service.js';
import { OwnReceiptController } from './own-receipt.controller.js';
import { ReceiptsController } from './receipts.controller.js';

/** Receipts, and donations as files. */
@Module({
  imports: [DonationsModule, EventsModule, SettingsModule],
  controllers: [ReceiptsController, OwnReceiptController, DonationsExportController],
  providers: [
    DonationsCsv,
    DonationsDownload,
    ExportSlots,
    ReceiptArchive,
    ReceiptDownloads,
    ReceiptIssuers,
    ReceiptLogo,
    ReceiptNumbers,
    ReceiptsService,
  ],
})
export class ExportModule {}
