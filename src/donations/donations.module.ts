import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { CorrectionsService } from './corrections.service.js';
import { DonationChanges, STATES_PROVIDER } from './donation-changes.js';
import { DonationHistoryService } from './donation-history.service.js';
import { DonationListService } from './donation-list.service.js';
import { DonationRecorder } from './donation-recorder.js';
import { DonationsController } from './donations.controller.js';
import { PaidAtOnce } from './paid-at-once.js';
import { RecordingService } from './recording.service.js';
import { SearchIndex } from './search-index.js';
import { UndoService } from './undo.service.js';
import { UnpaidDonors } from './unpaid-donors.js';

@Module({
  imports: [EventsModule, SettingsModule],
  controllers: [DonationsController],
  providers: [
    CorrectionsService,
    DonationChanges,
    DonationHistoryService,
    DonationListService,
    DonationRecorder,
    PaidAtOnce,
    RecordingService,
    STATES_PROVIDER,
    SearchIndex,
    UndoService,
    UnpaidDonors,
  ],
  exports: [DonationChanges, DonationHistoryService, DonationListService, PaidAtOnce],
})
export class DonationsModule {}
