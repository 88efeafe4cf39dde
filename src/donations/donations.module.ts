import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { CorrectionsService } from './lifecycle/corrections.service.js';
import { DonationChanges, STATES_PROVIDER } from './lifecycle/donation-changes.js';
import { DonationHistoryService } from './lifecycle/donation-history.service.js';
import { DonationListService } from './list/donation-list.service.js';
import { DonationRecorder } from './recording/donation-recorder.js';
import { DonationsController } from './donations.controller.js';
import { RecordingService } from './recording/recording.service.js';
import { UndoService } from './lifecycle/undo.service.js';
import { UnpaidDonors } from './donors/unpaid-donors.js';

@Module({
  imports: [EventsModule, SettingsModule],
  controllers: [DonationsController],
  providers: [
    CorrectionsService,
    DonationChanges,
    DonationHistoryService,
    DonationListService,
    DonationRecorder,
    RecordingService,
    STATES_PROVIDER,
    UndoService,
    UnpaidDonors,
  ],
  exports: [DonationChanges, DonationHistoryService, DonationListService, DonationRecorder, RecordingService],
})
export class DonationsModule {}
