import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { PaymentParts } from './payment-part.service.js';
import { ReceivedTransfers } from './received-transfers.service.js';
import { TransferEmails, TransferEmailWriter } from './transfer-emails.service.js';
import { TransferExpiry } from './transfer-expiry.service.js';
import { TransferReferencesModule } from './transfer-references.module.js';
import { TransfersApart } from './transfers-apart.service.js';
import { TransferDays } from './waiting-transfers.js';
import { OwnPaymentPartController, TransfersController } from './transfers.controller.js';

/** Donations by bank transfer: references, codes, e-mails, expiry, and transfers that were received. */
@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, SettingsModule, TransferReferencesModule],
  controllers: [TransfersController, OwnPaymentPartController],
  providers: [
    PaymentParts,
    ReceivedTransfers,
    TransferDays,
    TransferEmails,
    TransferEmailWriter,
    TransferExpiry,
    TransfersApart,
  ],
  exports: [PaymentParts],
})
export class TransfersModule {}
