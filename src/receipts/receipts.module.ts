import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { ReceiptArchive } from './receipt-archive.service.js';
import { ReceiptDownloads } from './receipt-downloads.service.js';
import { ReceiptEmails, ReceiptEmailWriter } from './receipt-emails.service.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptLogo } from './receipt-logo.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { ReceiptsController, OwnReceiptController, ReceiptEmailsController } from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';

@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, SettingsModule],
  controllers: [ReceiptEmailsController, ReceiptsController, OwnReceiptController],
  providers: [
    ReceiptArchive,
    ReceiptDownloads,
    ReceiptEmails,
    ReceiptEmailWriter,
    ReceiptFiles,
    ReceiptIssuers,
    ReceiptLogo,
    ReceiptNumbers,
    ReceiptsService,
  ],
  exports: [ReceiptIssuers],
})
export class ReceiptsModule {}
