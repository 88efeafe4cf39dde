import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { GiftAidModule } from '../gift-aid/gift-aid.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { DonorErasure } from './donor-erasure.service.js';
import { DonorExport, DonorDownloads } from './donor-export.service.js';
import { DonorStatements } from './donor-statements.service.js';
import { DonorsController } from './donors.controller.js';
import { DonorsService } from './donors.service.js';

/** Donors at all events: search, data export, annual statements, erasure. */
@Module({
  imports: [DonationsModule, DocumentsModule, GiftAidModule, ReceiptsModule],
  controllers: [DonorsController],
  providers: [DonorDownloads, DonorErasure, DonorExport, DonorStatements, DonorsService],
})
export class DonorsModule {}
