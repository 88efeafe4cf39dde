import { Module } from '@nestjs/common';
import { DonationsModule } from '../donations/donations.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { GiftAidModule } from '../gift-aid/gift-aid.module.js';
import { EventsModule } from '../events/events.module.js';
import { PledgesModule } from '../pledges/pledges.module.js';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { TributesModule } from '../tributes/tributes.module.js';
import { DonorErasure } from './donor-erasure.service.js';
import { DonorExport, DonorDownloads } from './donor-export.service.js';
import { DonorStatements } from './donor-statements.service.js';
import { DonorsController } from './donors.controller.js';
import { SettingsModule } from '../settings/settings.module.js';
import { DonorsService } from './donors.service.js';
import { KeptRecords } from './kept-records.service.js';
import { MissingAddresses } from './missing-addresses.service.js';
import { OwnAddresses } from './own/own-address.service.js';
import { OwnDataService } from './own/own-data.service.js';
import { OwnGiftsService } from './own/own-gifts.service.js';
import { OwnLinkEmails } from './own/own-link-emails.js';
import { OwnLinks } from './own/own-links.service.js';
import { OwnRequests } from './own/own-requests.service.js';
import { OwnSessions } from './own/own-sessions.service.js';

/** Donors at all events: search, data export, annual statements, erasure, and the own page of each donor. */
@Module({
  imports: [
    DonationsModule,
    DocumentsModule,
    EventsModule,
    GiftAidModule,
    PledgesModule,
    ReceiptsModule,
    SettingsModule,
    TributesModule,
  ],
  controllers: [DonorsController],
  providers: [
    DonorDownloads,
    DonorErasure,
    DonorExport,
    DonorStatements,
    DonorsService,
    KeptRecords,
    MissingAddresses,
    OwnAddresses,
    OwnDataService,
    OwnGiftsService,
    OwnLinkEmails,
    OwnLinks,
    OwnRequests,
    OwnSessions,
  ],
  exports: [OwnAddresses, OwnDataService, OwnGiftsService, OwnLinks, OwnRequests, OwnSessions],
})
export class DonorsModule {}
