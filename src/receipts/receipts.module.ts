import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { OwnMatchesModule } from '../match/own-matches.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { CollectiveReceipts } from './collective-receipts.service.js';
import { FrenchDeclaration } from './french-declaration.service.js';
import { IncompleteReceipts } from './incomplete-receipts.service.js';
import { ReceiptArchive } from './receipt-archive.service.js';
import { ReceiptChecks } from './receipt-checks.service.js';
import { ReceiptDownloads } from './receipt-downloads.service.js';
import { ReceiptEmails, ReceiptEmailWriter } from './receipt-emails.service.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptLogo } from './receipt-logo.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { ReceiptProofs } from './receipt-proofs.service.js';
import {
  FrenchDeclarationController,
  ReceiptsController,
  OwnReceiptController,
  ReceiptEmailsController,
} from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';
import { ReceiptHold } from './sealed/receipt-hold.service.js';
import { SealedReceiptsController } from './sealed/sealed-receipts.controller.js';
import { SealedReceipts } from './sealed/sealed-receipts.service.js';

@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, OwnMatchesModule, SettingsModule],
  controllers: [
    FrenchDeclarationController,
    ReceiptEmailsController,
    ReceiptsController,
    OwnReceiptController,
    SealedReceiptsController,
  ],
  providers: [
    CollectiveReceipts,
    FrenchDeclaration,
    IncompleteReceipts,
    ReceiptArchive,
    ReceiptChecks,
    ReceiptDownloads,
    ReceiptEmails,
    ReceiptEmailWriter,
    ReceiptFiles,
    ReceiptHold,
    ReceiptIssuers,
    ReceiptLogo,
    ReceiptNumbers,
    ReceiptProofs,
    ReceiptsService,
    SealedReceipts,
  ],
  exports: [
    CollectiveReceipts,
    IncompleteReceipts,
    ReceiptChecks,
    ReceiptDownloads,
    ReceiptFiles,
    ReceiptHold,
    ReceiptIssuers,
    ReceiptProofs,
  ],
})
export class ReceiptsModule {}
