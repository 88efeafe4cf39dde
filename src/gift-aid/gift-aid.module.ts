import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { DonationsModule } from '../donations/donations.module.js';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { GiftAidClaimsController } from './claims/claims.controller.js';
import { GiftAidClaims } from './claims/claims.service.js';
import { SmallDonationsController } from './claims/small-donations.controller.js';
import { SmallDonations } from './claims/small-donations.service.js';
import { GiftAidDeclarations } from './declarations.service.js';
import { GiftAidController } from './gift-aid.controller.js';
import { GiftAidExport } from './gift-aid-export.service.js';
import { LegalHold } from './legal-hold.service.js';

/** Gift Aid of the United Kingdom: declarations, their cancellation, their export, claims, and their keeping after an erasure. */
@Module({
  imports: [DocumentsModule, DonationsModule, EventsModule, SettingsModule],
  controllers: [GiftAidController, GiftAidClaimsController, SmallDonationsController],
  providers: [GiftAidClaims, GiftAidDeclarations, GiftAidExport, LegalHold, SmallDonations],
  exports: [GiftAidDeclarations, LegalHold],
})
export class GiftAidModule {}
